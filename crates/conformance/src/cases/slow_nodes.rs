//! T12: a node that is too slow knows how much it lacks.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::backend::Backend;
use crate::events::Slow;
use crate::node::{Node, PREFIX};

const EMITTED: u64 = 5000;

/// Its handler waits while thousands arrive. What the bounded inbox had no room for is counted and told as a gap.
pub async fn t12_what_a_slow_node_loses_is_counted<B: Backend>() {
    let server = B::start().await;
    let there = Node::join_with(&server, PREFIX, |attach| attach.outbox(10_000, 64 * 1024 * 1024)).await;
    let mut slow = Node::join_with(&server, PREFIX, |attach| attach.inbox(8).in_flight(1)).await;
    let gate = Arc::new(Semaphore::new(0));
    slow.bus.with(Arc::clone(&gate)).on(async |gate: Arc<Semaphore>, _: Arc<Slow>| {
        _ = gate.acquire().await;
    });
    for n in 0..EMITTED {
        there.bus.emit(Slow { n }).await.expect("the bus takes events");
    }
    let full = slow.status(|status| status.received == EMITTED).await;
    assert!(full.overrun > 0, "{full:?}");
    gate.close();
    let done = slow.status(|status| status.handled + status.overrun == EMITTED).await;
    there.tick(1).await;
    assert_eq!(slow.ticks_until(1).await, [1]);
    let status = slow.status(|status| status.handled == done.handled + 1).await;
    assert_eq!(status.lost, done.overrun);
    assert!(slow.gap().await > 0);
}
