//! T7: what does not arrive is told.

use std::time::Duration;

use oyez_bus::{LinkEvent, NotSentReason};

use crate::backend::{Backend, Wire};
use crate::events::Unwritable;
use crate::node::{Node, PREFIX};

/// One node hears nothing for a while, and is told by the next event how many it lacks.
pub async fn t07_lost_events_are_told_as_a_gap<B: Backend>() {
    let server = B::start().await;
    let (here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    lose(&server, &here, &mut there, 1..=10).await;
    here.tick(11).await;
    assert_eq!(there.gap().await, 10);
    assert_eq!(there.ticks_until(11).await, [11]);
    assert_eq!(there.link.status().lost, 10);
    let told = there.told_by_now();
    let origin = here.bus.instance();
    assert!(told.contains(&LinkEvent::Gap { origin: origin.into(), lost: 10 }), "{told:?}");
}

/// Nothing is emitted after what was lost; the idle sender says how far it had come.
pub async fn t07_a_lost_last_event_is_told_by_a_beat<B: Backend>() {
    let server = B::start().await;
    let here = Node::join_with(&server, PREFIX, |attach| attach.beat(Duration::from_millis(200))).await;
    let mut there = Node::join(&server).await;
    lose(&server, &here, &mut there, 1..=5).await;
    assert_eq!(there.gap().await, 5);
}

/// The sender ends before it has been idle for long.
pub async fn t07_a_lost_last_event_is_told_when_its_sender_closes<B: Backend>() {
    let server = B::start().await;
    let here = Node::join_with(&server, PREFIX, |attach| attach.beat(Duration::from_secs(3600))).await;
    let mut there = Node::join(&server).await;
    lose(&server, &here, &mut there, 1..=5).await;
    assert_eq!(there.link.status().lost, 0);
    assert!(here.link.close(Duration::from_secs(10)).await.confirmed);
    assert_eq!(there.gap().await, 5);
}

/// One outage is told once, with its length.
pub async fn t07_an_outage_is_told_with_its_length<B: Backend>() {
    let mut server = B::start().await;
    let mut node = Node::join(&server).await;
    server.kill();
    node.down().await;
    let noticed = std::time::Instant::now();
    server.restart().await;
    let down_for = node.up().await;
    assert!(down_for <= noticed.elapsed() + Duration::from_secs(1), "{down_for:?}");
    node.tick(1).await;
    node.status(|status| status.echoes > 0).await;
    assert_eq!(node.told_by_now(), [LinkEvent::Down, LinkEvent::Up { down_for }]);
}

/// The event reaches local handlers, and the emit says for which link it was not fit.
pub async fn t07_what_cannot_be_written_as_json_is_said_and_counted<B: Backend>() {
    let server = B::start().await;
    let (here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    here.bus.on_sync(|_: &Unwritable, _: &_| {});
    let unwritable = Unwritable { map: [((1, 2), 3)].into() };
    let emitted = here.bus.emit(unwritable).await.expect("the bus takes events");
    assert_eq!(emitted.delivered(), 1);
    let [not_sent] = emitted.links() else { panic!("one link did not send it: {emitted:?}") };
    assert!(matches!(not_sent.reason(), NotSentReason::Unencodable(_)), "{not_sent:?}");
    assert_eq!(here.link.status().unencodable, 1);
    here.tick(1).await;
    assert_eq!(there.ticks_until(1).await, [1]);
}

/// Emits the ticks while `there` hears nothing, which has heard one before and hears everything again afterwards.
async fn lose<B: Backend>(server: &B, here: &Node<B>, there: &mut Node<B>, ticks: std::ops::RangeInclusive<u64>) {
    let mut witness = Node::join(server).await;
    here.tick(0).await;
    witness.ticks_until(0).await;
    there.ticks_until(0).await;
    there.wire.blackhole();
    for n in ticks.clone() {
        here.tick(n).await;
    }
    // The server has sent them to everyone.
    witness.ticks_until(*ticks.end()).await;
    there.wire.heal();
    there.down().await;
    there.up().await;
}
