//! [`Engine`]: the client, on a thread of its own.

use std::future::pending;
use std::pin::pin;
use std::thread;

use async_nats::{Client, ConnectError};
use futures_util::future::select;
use oyez_bus::transport::{TransportError, TransportErrorKind};
use tokio::runtime::Builder;
use tokio::sync::{oneshot, watch};
use tracing::Dispatch;

use crate::error::not_connected;

/// What runs the client, until this is dropped or told to [end](Self::end).
///
/// A thread, with a runtime of its own, for three reasons: the client's own log lines have the payloads in them (level
/// `TRACE`, promise T13), or come once for each message that is lost, and here they go nowhere; a client that is looking
/// for its server does not end by itself, and ends with its runtime; pings are answered while the program's threads are
/// busy.
#[derive(Debug)]
pub(crate) struct Engine {
    ended: watch::Sender<bool>,
}

impl Engine {
    /// Starts the thread, and returns when `connecting` has ended there.
    pub(crate) async fn start(
        connecting: impl Future<Output = Result<Client, ConnectError>> + Send + 'static,
    ) -> Result<(Self, Client), TransportError> {
        let (ended, until) = watch::channel(false);
        let (connected, client) = oneshot::channel();
        let run = move || run(connecting, connected, until);
        thread::Builder::new().name("oyez-nats".to_owned()).spawn(run).map_err(unreachable)?;
        // A thread that says nothing has panicked.
        let client = client.await.map_err(unreachable)??;
        Ok((Self { ended }, client))
    }

    /// Ends the connection at once; what is not sent yet is lost.
    pub(crate) fn end(&self) {
        self.ended.send_replace(true);
    }

    pub(crate) fn has_ended(&self) -> bool {
        *self.ended.borrow()
    }
}

fn run(
    connecting: impl Future<Output = Result<Client, ConnectError>>,
    connected: oneshot::Sender<Result<Client, TransportError>>,
    mut until: watch::Receiver<bool>,
) {
    let _silent = tracing::dispatcher::set_default(&Dispatch::none());
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            _ = connected.send(Err(unreachable(error)));
            return;
        }
    };
    runtime.block_on(async {
        let running = async {
            // Nobody waits any more if it took too long; then the end is near.
            _ = connected.send(connecting.await.map_err(not_connected));
            pending::<()>().await;
        };
        select(pin!(running), pin!(until.wait_for(|ended| *ended))).await;
    });
    // A name that is still being looked up is not waited for.
    runtime.shutdown_background();
}

fn unreachable(cause: impl std::error::Error + Send + Sync + 'static) -> TransportError {
    TransportError::new(TransportErrorKind::Unreachable, cause)
}
