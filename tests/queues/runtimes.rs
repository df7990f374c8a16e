//! A queue outlives the runtime that its first events came from: one bus, several runtimes one after the other.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use oyez::{EventBus, Overflow, Subscription};
use tokio::runtime::{Builder, Runtime};

use crate::{Gated, Job, listener, not_hanging};

#[expect(clippy::unwrap_used, reason = "the test fails here")]
fn one_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

#[expect(clippy::unwrap_used, reason = "the test fails here")]
fn two_threads() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn subscribed(overflow: Overflow) -> (EventBus, Subscription, Arc<Gated>) {
    let (bus, gated) = (EventBus::new(), Gated::closed());
    let subscription = bus.subscribe::<Job>().queued(4, overflow).handle_with(Arc::clone(&gated), Gated::handle);
    (bus, subscription, gated)
}

async fn emit_all(bus: &EventBus, jobs: impl IntoIterator<Item = u64>) {
    for job in jobs {
        let emitted = not_hanging("an emit", bus.emit(Job(job))).await;
        assert!(emitted.is_ok_and(|emitted| emitted.failures().is_empty()));
    }
}

#[test]
fn b14_an_idle_queue_goes_on_in_the_next_runtime() {
    for make in [one_thread, two_threads] {
        let (bus, _, gated) = subscribed(Overflow::Wait);
        gated.release();
        for round in 0..5 {
            make().block_on(async {
                emit_all(&bus, [2 * round, 2 * round + 1]).await;
                not_hanging("the queue", bus.settle()).await;
            });
        }
        assert_eq!(gated.started(), (0..10).collect::<Vec<_>>());
    }
}

#[test]
fn b14_a_queue_whose_runtime_ended_in_the_middle_goes_on_in_the_next() {
    for make in [one_thread, two_threads] {
        let (bus, subscription, gated) = subscribed(Overflow::Wait);
        make().block_on(async {
            emit_all(&bus, 0..3).await;
            not_hanging("the first call", gated.until_started(1)).await;
        });
        gated.release();
        make().block_on(async {
            emit_all(&bus, [3]).await;
            not_hanging("the queue", bus.settle()).await;
        });
        assert_eq!(gated.started(), [0, 1, 2, 3], "the call under way is lost with its runtime, what waits is not");
        assert_eq!(listener(&bus, &subscription).queue_depth, 0);
    }
}

#[test]
fn b14_a_queue_whose_runtime_ended_before_its_first_call_goes_on_in_the_next() {
    for overflow in [Overflow::Wait, Overflow::DropOldest, Overflow::DropNewest] {
        let (bus, subscription, gated) = subscribed(overflow);
        gated.release();
        // The emit never waits, so the queue's task has not run yet when its runtime ends.
        one_thread().block_on(async { drop(bus.emit(Job(0)).await.unwrap()) });
        one_thread().block_on(async {
            emit_all(&bus, [1]).await;
            not_hanging("the queue", bus.settle()).await;
        });
        assert_eq!(gated.started(), [0, 1], "{overflow:?}");
        assert_eq!(listener(&bus, &subscription).calls, 2);
    }
}

#[test]
fn b14_settle_in_the_next_runtime_waits_for_what_the_last_one_left() {
    let (bus, _, gated) = subscribed(Overflow::Wait);
    one_thread().block_on(async {
        emit_all(&bus, 0..3).await;
        gated.until_started(1).await;
    });
    gated.release();
    one_thread().block_on(async { not_hanging("settle", bus.settle()).await });
    assert_eq!(gated.started(), [0, 1, 2]);
}

#[test]
fn b14_an_emit_that_waits_in_another_runtime_is_not_left_alone() {
    let (bus, _, gated) = subscribed(Overflow::Wait);
    let first = one_thread();
    first.block_on(async {
        emit_all(&bus, 0..5).await;
        gated.until_started(1).await;
    });
    // Job 0 is at the handler, and the others fill the queue.
    let (tell, told) = mpsc::channel();
    let other = std::thread::spawn({
        let bus = bus.clone();
        move || {
            let second = one_thread();
            second.block_on(async {
                let mut emit = Box::pin(bus.emit(Job(5)));
                let waited = crate::waits(&mut emit).await;
                tell.send(waited).unwrap();
                not_hanging("the emit", emit).await.unwrap();
                not_hanging("the queue", bus.settle()).await;
            });
        }
    });
    assert_eq!(told.recv_timeout(Duration::from_secs(10)), Ok(true));
    gated.release();
    drop(first);
    assert!(other.join().is_ok(), "nobody works off the queue any more");
    assert_eq!(gated.started().last(), Some(&5));
}
