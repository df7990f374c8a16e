//! T14: an event that nobody listens to costs a look at its name.

use std::sync::atomic::Ordering;

use crate::backend::Backend;
use crate::events::{Costly, DECODED};
use crate::node::Node;

/// The payload is decoded when a handler for the type is there, and only then.
pub async fn t14_what_nobody_listens_to_is_not_decoded<B: Backend>() {
    let server = B::start().await;
    let (here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    for n in 0..10 {
        here.bus.emit(Costly { n }).await.expect("the bus takes events");
    }
    here.tick(1).await;
    there.ticks_until(1).await;
    assert_eq!(DECODED.load(Ordering::SeqCst), 0);
    assert_eq!(there.status(|status| status.handled == 1).await.unheard, 10);
    let mut costly = there.bus.stream::<Costly>(1);
    here.bus.emit(Costly { n: 10 }).await.expect("the bus takes events");
    assert_eq!(costly.next().await.expect("the bus is there").expect("the stream holds it").n, 10);
    assert_eq!(DECODED.load(Ordering::SeqCst), 1);
}
