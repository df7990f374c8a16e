//! D2 and D23: what a program sees and decides of its broadcasts.

use std::time::Duration;

use oyez_bus::{EventBus, LinkState};

use crate::backend::Backend;
use crate::events::Tick;
use crate::logs;
use crate::node::{Node, PREFIX, eventually};

/// A bus has no link before one is attached, shows each that is, and forgets those that were closed.
pub async fn d02_the_links_of_a_bus_can_be_seen<B: Backend>() {
    let server = B::start().await;
    let bus = EventBus::new();
    assert!(bus.links().is_empty());
    let one = Node::attach(bus.clone(), &server, PREFIX, |attach| attach).await.expect("it joins");
    let other = Node::attach(bus.clone(), &server, "other", |attach| attach).await.expect("it joins");
    let ids = || bus.links().iter().map(|link| link.id().to_owned()).collect::<Vec<_>>();
    assert_eq!(ids(), [one.link.id(), other.link.id()]);
    assert_eq!(bus.links()[0].status().state, LinkState::Up);
    one.link.close(Duration::from_secs(10)).await;
    assert_eq!(ids(), [other.link.id()]);
    other.link.close(Duration::from_secs(10)).await;
    assert!(bus.links().is_empty());
}

/// Opt in, a channel of its own, own events dropped, malformed ones dropped with a warning, failures logged after the local
/// handlers, and an end with the shutdown.
pub async fn d23_broadcast_is_opt_in_and_ends_with_the_bus<B: Backend>() {
    let logged = logs::capture();
    let mut server = B::start().await;
    let alone = EventBus::new();
    let mut heard_alone = alone.stream::<Tick>(10);
    let (mut here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    assert_eq!(server.subscriptions(PREFIX).await, 2);
    assert_eq!(server.subscriptions("another").await, 0);
    alone.emit(Tick { n: 0 }).await.expect("the bus takes events");
    server.publish(PREFIX, "tick", b"malformed").await;
    here.tick(1).await;
    assert_eq!(there.ticks_until(1).await, [1]);
    assert_eq!(here.ticks_until(1).await, [1]);
    let warns = |link: &str, what: &str| {
        logged.lines().iter().any(|line| line.contains("WARN") && line.contains(what) && line.contains(link))
    };
    assert!(warns(there.link.id(), "rejected"));
    server.kill();
    here.down().await;
    here.tick(2).await;
    assert_eq!(here.ticks_until(2).await, [2]);
    assert!(eventually(async || warns(here.link.id(), "could not be published")).await);
    server.restart().await;
    there.up().await;
    here.up().await;
    here.bus.shutdown(Duration::from_secs(10)).await;
    assert!(eventually(async || server.subscriptions(PREFIX).await == 1).await);
    alone.emit(Tick { n: 3 }).await.expect("the bus takes events");
    for n in [0, 3] {
        assert_eq!(heard_alone.next().await.expect("the bus is there").expect("the stream holds it").n, n);
    }
}
