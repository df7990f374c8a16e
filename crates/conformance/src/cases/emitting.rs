//! T2: an emit never waits for the network.

use futures_util::FutureExt;
use oyez_bus::{LinkState, NotSentReason};
use tokio::task::unconstrained;

use crate::backend::{Backend, Wire};
use crate::events::{Blob, Tick};
use crate::node::{Node, PREFIX};

/// Emits to a server that is gone are done when they are first polled, and local handlers run.
pub async fn t02_an_emit_never_waits_for_a_server_that_is_gone<B: Backend>() {
    let mut server = B::start().await;
    let mut here = Node::join(&server).await;
    server.freeze();
    emits_at_once(&mut here, 0..1000).await;
    server.thaw();
    server.kill();
    here.down().await;
    emits_at_once(&mut here, 1000..2000).await;
    assert_eq!(here.link.status().state, LinkState::Down);
}

async fn emits_at_once<B: Backend>(node: &mut Node<B>, numbers: std::ops::Range<u64>) {
    for n in numbers.clone() {
        // Without the budget of tokio's tasks, after which an emit lets others run.
        let emitted = unconstrained(node.bus.emit(Tick { n })).now_or_never().expect("an emit does not wait");
        let emitted = emitted.expect("the bus takes events");
        assert_eq!((emitted.delivered(), emitted.links().len()), (1, 0));
    }
    assert_eq!(node.ticks_until(numbers.end - 1).await, numbers.collect::<Vec<_>>());
}

/// The oldest make room; the newest arrive, and the others are counted here and missed there.
pub async fn t02_a_full_outbox_drops_the_oldest_and_counts<B: Backend>() {
    let server = B::start().await;
    let mut here = Node::join_with(&server, PREFIX, |attach| attach.outbox(10, 1024 * 1024)).await;
    let mut there = Node::join(&server).await;
    here.tick(0).await;
    there.ticks_until(0).await;
    here.wire.blackhole();
    here.down().await;
    for n in 1..=1000 {
        here.tick(n).await;
        assert!(here.link.status().outbox <= 10);
    }
    here.wire.heal();
    let arrived = there.ticks_until(1000).await;
    assert!(arrived.ends_with(&(991..=1000).collect::<Vec<_>>()), "{arrived:?}");
    let (dropped, lost) = (here.link.status().dropped, there.link.status().lost);
    assert!(dropped > 0);
    assert_eq!((dropped, arrived.len() as u64 + lost), (lost, 1000));
}

/// What the outbox has no room for is told by the emit.
pub async fn t02_a_full_outbox_drops_the_newest_by_choice_and_says_so<B: Backend>() {
    let server = B::start().await;
    let mut here = Node::join_with(&server, PREFIX, |attach| attach.outbox(10, 1024 * 1024).drop_newest()).await;
    let mut there = Node::join(&server).await;
    here.tick(0).await;
    there.ticks_until(0).await;
    here.wire.blackhole();
    here.down().await;
    let mut kept = Vec::new();
    for n in 1..=1000 {
        let emitted = here.bus.emit(Tick { n }).await.expect("the bus takes events");
        match emitted.links() {
            [] => kept.push(n),
            [not_sent] => {
                assert!(matches!(not_sent.reason(), NotSentReason::Dropped), "{not_sent:?}");
                assert_eq!(not_sent.link(), here.link.id());
            }
            several => panic!("there is one link: {several:?}"),
        }
    }
    assert_eq!(here.link.status().dropped, 1000 - kept.len() as u64);
    here.wire.heal();
    let last = *kept.last().expect("some are kept");
    assert_eq!(there.ticks_until(last).await, kept);
}

/// A few large events fill an outbox that has places enough.
pub async fn t02_an_outbox_is_bounded_in_bytes_too<B: Backend>() {
    let server = B::start().await;
    let mut here = Node::join_with(&server, PREFIX, |attach| attach.outbox(1000, 64 * 1024)).await;
    here.wire.blackhole();
    here.down().await;
    for _ in 0..100 {
        here.bus.emit(Blob { text: "x".repeat(10_000) }).await.expect("the bus takes events");
        let status = here.link.status();
        assert!(status.outbox_bytes <= 64 * 1024, "{status:?}");
    }
    assert!(here.link.status().dropped > 0);
}
