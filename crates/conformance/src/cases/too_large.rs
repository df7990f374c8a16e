//! T8: an event that is too large for the server stays here, and says so.

use oyez_bus::{Emitted, LinkEvent, NotSentReason};

use crate::backend::Backend;
use crate::events::Blob;
use crate::node::Node;

/// More than any server takes that is set up as usual.
const TOO_LARGE: usize = 3 * 1024 * 1024;

/// Local handlers get it, the emit tells, and small events go on over the same connection.
pub async fn t08_too_large_is_refused_and_said_and_small_events_go_on<B: Backend>() {
    let server = B::start().await;
    let (mut here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    here.bus.on_sync(|_: &Blob, _: &_| {});
    let mut local = here.bus.stream::<Blob>(10);
    here.tick(1).await;
    let emitted = emit(&here, TOO_LARGE).await;
    assert_eq!(emitted.delivered(), 2);
    let (size, limit) = refused(&emitted).expect("it is refused");
    assert!(size > TOO_LARGE && limit > 0 && limit < size, "{size} {limit}");
    here.tick(2).await;
    assert_eq!(local.next().await.expect("the bus is there").expect("the stream holds it").text.len(), TOO_LARGE);
    assert_eq!(there.ticks_until(2).await, [1, 2]);
    assert_eq!(here.told_by_now(), [LinkEvent::Refused { name: "blob".into(), size, limit }]);
    assert_eq!(there.told_by_now(), []);
    assert_eq!(here.link.status().refused, 1);
}

/// The limit is that of the server: an event that is a little smaller arrives.
pub async fn t08_what_just_fits_arrives<B: Backend>() {
    let server = B::start().await;
    let (mut here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    let mut arrived = there.bus.stream::<Blob>(10);
    let (size, limit) = refused(&emit(&here, TOO_LARGE).await).expect("it is refused");
    // The time's digits differ from event to event.
    let fits = limit - (size - TOO_LARGE) - 16;
    let refusal = refused(&emit(&here, fits).await);
    assert_eq!(refusal, None);
    here.tick(1).await;
    assert_eq!(there.ticks_until(1).await, [1]);
    assert_eq!(arrived.next().await.expect("the bus is there").expect("the stream holds it").text.len(), fits);
    assert!(!here.told_by_now().contains(&LinkEvent::Down));
}

async fn emit<B: Backend>(node: &Node<B>, size: usize) -> Emitted {
    node.bus.emit(Blob { text: "x".repeat(size) }).await.expect("the bus takes events")
}

fn refused(emitted: &Emitted) -> Option<(usize, usize)> {
    match emitted.links().first()?.reason() {
        NotSentReason::Refused { size, limit } => Some((*size, *limit)),
        other => panic!("another reason: {other:?}"),
    }
}
