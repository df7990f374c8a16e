//! [`fence`]: waits until the server has what was sent to it before.

use std::sync::atomic::Ordering;

use async_nats::{Client, Subject};
use bytes::Bytes;
use futures_util::StreamExt;
use oyez_bus::transport::{TransportError, TransportErrorKind};

use crate::error::{not_published, not_subscribed};

/// Says `hello` to ourselves over a subscription of its own, behind everything that was published. The server takes the
/// lines of a connection in their order, so it has all of them when the hello comes back. The client's own `flush` waits
/// for no answer.
///
/// # Errors
/// The connection was replaced meanwhile, so that frames may have been lost with the old one.
pub(crate) async fn fence(client: &Client, hello: Subject) -> Result<(), TransportError> {
    let connects = client.statistics();
    let before = connects.connects.load(Ordering::Relaxed);
    let mut subscriber = client.subscribe(hello.clone()).await.map_err(not_subscribed)?;
    client.publish(hello, Bytes::new()).await.map_err(not_published)?;
    if subscriber.next().await.is_none() {
        return Err(TransportErrorKind::Closed.into());
    }
    if connects.connects.load(Ordering::Relaxed) == before {
        Ok(())
    } else {
        Err(TransportErrorKind::Unreachable.into())
    }
}
