//! T5: links come back by themselves, for ever.

use oyez_bus::LinkState;
use oyez_bus::testing::Recorder;

use crate::backend::{Backend, Wire};
use crate::events::{Blob, Said, Tick};
use crate::node::{Node, PREFIX, eventually};

/// The server is killed and started five times.
pub async fn t05_each_event_is_handled_once_after_five_kills<B: Backend>() {
    let mut server = B::start().await;
    let (mut here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    for n in 1..=5 {
        outage(&mut server, &mut [&mut here, &mut there]).await;
        here.tick(n).await;
        assert_eq!(there.ticks_until(n).await, [n]);
        assert_eq!(here.ticks_until(n).await, [n]);
    }
    assert_eq!(there.link.status().duplicates, 0);
    assert_eq!(server.subscriptions(PREFIX).await, 2);
}

/// The sender's connection swallows everything while it emits. What it sent before it knew is there once or told as lost;
/// what waited in the outbox is there once.
pub async fn t05_what_was_emitted_during_an_outage_is_sent_after_it_once<B: Backend>() {
    let server = B::start().await;
    let (mut here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    here.tick(0).await;
    there.ticks_until(0).await;
    here.wire.blackhole();
    for n in 1..=10 {
        here.tick(n).await;
    }
    here.down().await;
    for n in 11..=20 {
        here.tick(n).await;
    }
    here.wire.heal();
    here.up().await;
    here.tick(21).await;
    let arrived = there.ticks_until(21).await;
    assert!(arrived.is_sorted_by(|a, b| a < b), "{arrived:?}");
    assert!(arrived.ends_with(&(11..=21).collect::<Vec<_>>()), "{arrived:?}");
    assert_eq!(arrived.len() as u64 + there.link.status().lost, 21);
    assert_eq!(there.told_by_now().iter().filter(|told| matches!(told, oyez_bus::LinkEvent::Down)).count(), 0);
}

/// Handlers of three types, one of them registered while the server is away.
pub async fn c15_subscriptions_survive_a_restart_of_the_server<B: Backend>() {
    let mut server = B::start().await;
    let (mut here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    let recorder = Recorder::new(&there.bus);
    there.bus.on_sync(|_: &Said, _: &_| {});
    there.wire.cut();
    there.down().await;
    there.up().await;
    server.kill();
    here.down().await;
    there.down().await;
    assert_eq!(there.link.status().state, LinkState::Down);
    there.bus.on_sync(|_: &Blob, _: &_| {});
    server.restart().await;
    here.up().await;
    assert!(there.up().await.as_nanos() > 0);
    assert_eq!(there.link.status().state, LinkState::Up);
    for n in 0..10 {
        here.bus.emit(Said { by: "here".into(), what: n.to_string() }).await.expect("the bus takes events");
        here.bus.emit(Blob { text: n.to_string() }).await.expect("the bus takes events");
        here.tick(n).await;
    }
    there.ticks_until(9).await;
    assert!(eventually(async || recorder.events::<Tick>().len() == 10).await);
    recorder.assert_count::<Said>(10);
    recorder.assert_count::<Blob>(10);
    recorder.assert_count::<Tick>(10);
    assert_eq!(there.told_by_now().len(), 4, "{:?}", there.told);
}

/// The node's connections are closed five times, and once more while it subscribes again.
pub async fn c18_reconnects_leave_no_second_subscription<B: Backend>() {
    let server = B::start().await;
    let (here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    let connections = there.wire.connections();
    for _ in 0..5 {
        there.wire.cut();
        there.down().await;
        there.up().await;
    }
    there.wire.cut();
    there.down().await;
    assert!(eventually(async || there.wire.connections() > 0).await);
    there.wire.cut();
    let echoes = there.link.status().echoes;
    let hears_itself = async || {
        there.tick(0).await;
        there.link.status().echoes > echoes
    };
    assert!(eventually(hears_itself).await, "{:?}", there.link.status());
    let is_as_before = async || there.wire.connections() == connections && server.subscriptions(PREFIX).await == 2;
    assert!(eventually(is_as_before).await, "{} connections", there.wire.connections());
    assert_eq!(there.link.status().state, LinkState::Up);
    here.tick(1).await;
    here.tick(2).await;
    let mut arrived = there.ticks_until(2).await;
    arrived.retain(|n| *n > 0);
    assert_eq!(arrived, [1, 2]);
}

/// Kills the server, and starts it again when everyone has noticed; returns when everyone is back.
async fn outage<B: Backend>(server: &mut B, nodes: &mut [&mut Node<B>]) {
    server.kill();
    for node in &mut *nodes {
        node.down().await;
    }
    server.restart().await;
    for node in nodes {
        node.up().await;
    }
}
