//! T11: closing sends what waits, and says what it could not send.

use std::time::Duration;

use oyez_bus::transport::Transport;
use oyez_bus::{EmitError, EventBus, LinkState, NotSentReason};

use crate::backend::{Backend, Wire};
use crate::child::{self, Child};
use crate::events::Tick;
use crate::node::{Node, PREFIX, eventually};

const MANY: u64 = 10_000;
const PATIENT: Duration = Duration::from_secs(30);

/// Ten thousand emits, then a close: all arrive, and afterwards the node is gone from the server.
pub async fn t11_what_was_emitted_before_a_close_arrives<B: Backend>() {
    let server = B::start().await;
    let here = Node::join_with(&server, PREFIX, |attach| attach.outbox(20_000, 64 * 1024 * 1024)).await;
    let mut there = Node::join(&server).await;
    for n in 0..MANY {
        here.tick(n).await;
    }
    let closed = here.link.close(PATIENT).await;
    assert_eq!((closed.unsent, closed.confirmed), (0, true));
    assert_eq!(here.link.status().state, LinkState::Closed);
    assert_eq!(there.ticks_until(MANY - 1).await, (0..MANY).collect::<Vec<_>>());
    assert!(eventually(async || server.subscriptions(PREFIX).await == 1 && here.wire.connections() == 0).await);
    let emitted = here.bus.emit(Tick { n: MANY }).await.expect("the bus is open");
    assert_eq!(emitted.delivered(), 1);
    assert!(emitted.links().iter().all(|not_sent| matches!(not_sent.reason(), NotSentReason::Closed)));
    // A second close tells the same.
    assert_eq!(here.link.close(PATIENT).await.unsent, 0);
}

/// The close ends at its deadline.
pub async fn t11_a_close_without_a_server_says_how_many_were_not_sent<B: Backend>() {
    let mut server = B::start().await;
    let mut node = Node::join(&server).await;
    server.kill();
    node.down().await;
    for n in 0..5 {
        node.tick(n).await;
    }
    let closed = node.link.close(Duration::from_millis(300)).await;
    assert_eq!((closed.unsent, closed.confirmed), (5, false));
}

/// Handlers that are under way may still emit, and that is sent.
pub async fn t11_a_shutdown_closes_every_link<B: Backend>() {
    let server = B::start().await;
    let bus = EventBus::new();
    let one = Node::attach(bus.clone(), &server, PREFIX, |attach| attach).await.expect("it joins");
    let other = Node::attach(bus.clone(), &server, "other", |attach| attach).await.expect("it joins");
    let mut there = Node::join(&server).await;
    let mut elsewhere = Node::join_with(&server, "other", |attach| attach).await;
    for n in 0..1000 {
        bus.emit_detached(Tick { n }).expect("the bus takes events");
    }
    let shutdown = bus.shutdown(PATIENT).await;
    assert!(shutdown.is_clean(), "{shutdown:?}");
    for link in [&one.link, &other.link] {
        assert_eq!(link.status().state, LinkState::Closed);
    }
    assert_eq!(there.ticks_until(999).await.len(), 1000);
    assert_eq!(elsewhere.ticks_until(999).await.len(), 1000);
    assert!(matches!(bus.emit(Tick { n: 0 }).await, Err(EmitError::Closed)));
    assert!(eventually(async || server.subscriptions(PREFIX).await == 1).await);
}

/// Buses are dropped without a close: up, in an outage, and with a full outbox; their connections end.
pub async fn t11_a_dropped_bus_neither_panics_nor_hangs<B: Backend>() {
    let mut server = B::start().await;
    let (idle, busy) = (Node::join(&server).await, Node::join(&server).await);
    let mut stays = Node::join(&server).await;
    for n in 0..1000 {
        busy.tick(n).await;
    }
    drop(idle.bus);
    drop(idle.link);
    drop(busy);
    // Its wire is held, so that it is the transport that closes.
    assert!(eventually(async || idle.wire.connections() == 0).await, "{} connections", idle.wire.connections());
    assert!(eventually(async || server.subscriptions(PREFIX).await == 1).await);
    let mut cut_off = Node::join(&server).await;
    server.kill();
    cut_off.down().await;
    stays.down().await;
    cut_off.tick(0).await;
    drop(cut_off);
    server.restart().await;
    stays.up().await;
    assert!(eventually(async || server.subscriptions(PREFIX).await == 1).await);
}

/// A process emits ten thousand events, closes and ends.
pub async fn c24_a_process_that_closes_and_ends_has_sent_everything<B: Backend>() {
    if child::is_done::<B>(|transport| Box::pin(emit_and_close(transport))).await {
        return;
    }
    let server = B::start().await;
    let mut node = Node::join(&server).await;
    let name = "c24_a_process_that_closes_and_ends_has_sent_everything";
    Child::start::<B>(&server, name, |transport| Box::pin(emit_and_close(transport))).await.succeeds().await;
    assert_eq!(node.ticks_until(MANY - 1).await, (0..MANY).collect::<Vec<_>>());
}

async fn emit_and_close(transport: impl Transport) {
    let bus = EventBus::new();
    let link = bus.attach(transport).await.expect("the child joins");
    emit_many(&bus).await;
    let closed = link.close(PATIENT).await;
    assert_eq!((closed.unsent, closed.confirmed), (0, true));
}

/// A process emits ten thousand events and drops its bus: it ends, without a panic. What was not sent yet is lost.
pub async fn c24_a_process_that_only_drops_its_bus_ends<B: Backend>() {
    if child::is_done::<B>(|transport| Box::pin(emit_and_drop(transport))).await {
        return;
    }
    let server = B::start().await;
    let (mut node, there) = (Node::join(&server).await, Node::join(&server).await);
    let name = "c24_a_process_that_only_drops_its_bus_ends";
    Child::start::<B>(&server, name, |transport| Box::pin(emit_and_drop(transport))).await.succeeds().await;
    there.tick(MANY).await;
    let arrived = node.ticks_until(MANY).await;
    assert!(arrived.is_sorted_by(|a, b| a < b), "{arrived:?}");
}

async fn emit_and_drop(transport: impl Transport) {
    let bus = EventBus::new();
    bus.attach(transport).await.expect("the child joins");
    emit_many(&bus).await;
}

async fn emit_many(bus: &EventBus) {
    let links = bus.links();
    for n in 0..MANY {
        links[0].room().await;
        bus.emit(Tick { n }).await.expect("the bus takes events");
    }
}
