//! T1: an attach resolves when what is emitted elsewhere after it arrives.

use oyez_bus::EventBus;

use crate::backend::Backend;
use crate::node::{Node, PREFIX, patiently};

/// A node joins two hundred times, and each time another one emits as soon as the attach has resolved.
pub async fn t01_what_is_emitted_after_an_attach_arrives<B: Backend>() {
    let server = B::start().await;
    let there = Node::join(&server).await;
    for n in 0..200 {
        let mut here = Node::join(&server).await;
        there.tick(n).await;
        assert_eq!(here.ticks_until(n).await, [n]);
    }
}

/// A handler for a fresh name is registered a thousand times on a node that is attached, and each time another one emits
/// as soon as the registration has returned.
pub async fn c25_what_is_emitted_after_a_registration_arrives<B: Backend>() {
    let server = B::start().await;
    let (here, there) = (EventBus::new(), Node::join(&server).await);
    let _here = Node::attach(here.clone(), &server, PREFIX, |attach| attach).await.expect("a node can join");
    for n in 0..1000 {
        let name = format!("fresh.n{n}");
        let mut events = here.subscribe_pattern(&name).expect("a pattern").stream(1);
        there.bus.emit_json(name.clone(), n).await.expect("the bus takes events");
        assert!(patiently(events.next()).await.is_some(), "{name} does not arrive");
    }
}
