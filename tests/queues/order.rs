//! Each queued handler starts events in the order of their emits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use oyez::{EventBus, Overflow};

use crate::{Gated, Job, listener, not_hanging};

const ROUNDS: u64 = 3_000;
const JOBS: u64 = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b14_detached_emits_that_wait_for_room_start_in_order() {
    for round in 0..ROUNDS {
        let (bus, gated) = (EventBus::new(), Gated::open());
        let capacity = 1 + usize::try_from(round % 3).unwrap();
        bus.subscribe::<Job>().queued(capacity, Overflow::Wait).handle_with(Arc::clone(&gated), Gated::handle);
        let detached: Vec<_> = (0..JOBS).map(|job| bus.emit_detached(Job(job)).unwrap()).collect();
        for emit in detached {
            let emitted = not_hanging("a detached emit", emit).await.unwrap();
            assert_eq!(emitted.delivered(), 1);
        }
        not_hanging("the queue", bus.settle()).await;
        assert_eq!(gated.started(), (0..JOBS).collect::<Vec<_>>(), "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b14_detached_emits_start_in_order_when_handlers_run_side_by_side() {
    for round in 0..ROUNDS {
        let (bus, gated) = (EventBus::new(), Gated::open());
        let subscription = bus.subscribe::<Job>().queued(1, Overflow::Wait).concurrency(3).handle({
            let gated = Arc::clone(&gated);
            move |job: Arc<Job>| {
                let gated = Arc::clone(&gated);
                async move {
                    gated.note(job.0);
                    tokio::task::yield_now().await;
                }
            }
        });
        for job in 0..JOBS {
            bus.post(Job(job)).unwrap();
        }
        not_hanging("the queue", bus.settle()).await;
        assert_eq!(gated.started(), (0..JOBS).collect::<Vec<_>>(), "round {round}");
        assert_eq!(listener(&bus, &subscription).calls, JOBS);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b14_racing_emitters_each_keep_their_order_and_nothing_is_lost() {
    const EACH: u64 = 2_000;
    let (bus, gated) = (EventBus::new(), Gated::open());
    let subscription = bus.subscribe::<Job>().queued(1, Overflow::Wait).handle_with(Arc::clone(&gated), Gated::handle);
    let emitters: Vec<_> = (0..4)
        .map(|emitter| {
            let bus = bus.clone();
            tokio::spawn(async move {
                for n in 0..EACH {
                    bus.emit(Job(emitter * EACH + n)).await.unwrap();
                }
            })
        })
        .collect();
    for emitter in emitters {
        not_hanging("an emitter", emitter).await.unwrap();
    }
    not_hanging("the queue", bus.settle()).await;

    let started = gated.started();
    for emitter in 0..4 {
        let own: Vec<_> = started.iter().copied().filter(|job| job / EACH == emitter).collect();
        assert_eq!(own, (emitter * EACH..(emitter + 1) * EACH).collect::<Vec<_>>());
    }
    let seen = listener(&bus, &subscription);
    assert_eq!((seen.calls, seen.dropped, seen.queue_depth), (4 * EACH, 0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b14_calls_and_drops_add_up_to_what_racing_emitters_emitted() {
    const EACH: u64 = 5_000;
    for overflow in [Overflow::DropNewest, Overflow::DropOldest] {
        let bus = EventBus::new();
        // For each emitter, one more than the last of its events that was seen.
        let next: [AtomicU64; 4] = Default::default();
        let subscription = bus.subscribe::<Job>().queued(4, overflow).handle_sync(move |job, _| {
            let (n, emitter) = (job.0 / 4, job.0 % 4);
            let expected = next[emitter as usize].swap(n + 1, Ordering::SeqCst);
            if n < expected { Err("out of order") } else { Ok(()) }
        });
        let emitters: Vec<_> = (0..4)
            .map(|emitter| {
                let bus = bus.clone();
                tokio::spawn(async move {
                    for n in 0..EACH {
                        bus.emit(Job(4 * n + emitter)).await.unwrap();
                    }
                })
            })
            .collect();
        for emitter in emitters {
            emitter.await.unwrap();
        }
        not_hanging("the queue", bus.settle()).await;
        let seen = listener(&bus, &subscription);
        assert_eq!(seen.calls + seen.dropped, 4 * EACH, "{overflow:?}");
        assert_eq!((seen.queue_depth, seen.failures), (0, 0));
    }
}
