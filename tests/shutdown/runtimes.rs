//! The line of posted emits outlives the runtime it was begun in: one bus, several runtimes one after the other.

use std::sync::Arc;
use std::time::Duration;

use oyez::{EmitError, EventBus, Overflow};
use tokio::runtime::{Builder, Runtime};

use crate::{Job, Next, Work, not_hanging};

#[expect(clippy::unwrap_used, reason = "the test fails here")]
fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn noting() -> (EventBus, Arc<Work>) {
    let (bus, work) = (EventBus::new(), Work::new());
    let noted = Arc::clone(&work);
    bus.on_sync(move |next: &Next, _| noted.note(next.0.to_string()));
    (bus, work)
}

/// In a new runtime, posts one more and waits for all.
fn goes_on(bus: &EventBus, next: u64) {
    runtime().block_on(async {
        assert!(bus.post(Next(next)).is_ok());
        not_hanging("the line", bus.settle()).await;
    });
}

#[test]
fn b15_an_idle_line_goes_on_in_the_next_runtime() {
    let (bus, work) = noting();
    for next in 0..5 {
        goes_on(&bus, next);
    }
    assert_eq!(work.done(), ["0", "1", "2", "3", "4"]);
}

#[test]
fn b15_a_line_whose_runtime_ended_before_its_first_emit_goes_on_in_the_next() {
    let (bus, work) = noting();
    // Nothing is awaited, so the task of the line has not run yet when its runtime ends.
    runtime().block_on(async { bus.post(Next(0)).unwrap() });
    goes_on(&bus, 1);
    assert_eq!(work.done(), ["0", "1"]);
}

#[test]
fn b15_a_line_whose_runtime_ended_in_the_middle_goes_on_in_the_next() {
    // Around the number of emits after which the line lets other tasks run.
    for posted in [63, 64, 65, 127, 128, 200] {
        let (bus, work) = noting();
        runtime().block_on(async {
            for next in 0..posted {
                bus.post(Next(next)).unwrap();
            }
            tokio::task::yield_now().await;
        });
        goes_on(&bus, posted);
        assert_eq!(work.done(), (0..=posted).map(|next| next.to_string()).collect::<Vec<_>>(), "{posted}");
    }
}

#[test]
fn b15_a_detached_emit_that_ends_with_its_runtime_is_told_and_not_waited_for() {
    let (bus, work) = noting();
    bus.with(Arc::clone(&work)).on(Work::job);
    let first = runtime();
    let entered = first.enter();
    let detached = bus.emit_detached(Job(1)).unwrap();
    drop(entered);
    first.block_on(work.until("begin 1"));
    drop(first);
    assert_eq!(work.done(), ["begin 1", "cut 1"]);
    runtime().block_on(async {
        let outcome = not_hanging("the outcome", detached).await;
        assert!(matches!(outcome, Err(EmitError::Closed)));
        not_hanging("the bus", bus.settle()).await;
    });
    goes_on(&bus, 2);
}

#[test]
fn b15_settle_in_the_next_runtime_waits_for_what_the_last_one_left() {
    let (bus, work) = noting();
    runtime().block_on(async { bus.post(Next(0)).unwrap() });
    runtime().block_on(not_hanging("settle", bus.settle()));
    assert_eq!(work.done(), ["0"]);
}

#[test]
fn b15_shutdown_in_the_next_runtime_ends_and_says_what_was_left() {
    let (bus, work) = noting();
    runtime().block_on(async { bus.post(Next(0)).unwrap() });
    runtime().block_on(async {
        tokio::time::pause();
        let report = bus.shutdown(Duration::from_secs(1)).await;
        // Either it was done, or it is said that it was not.
        assert_eq!(report.detached, usize::from(work.done().is_empty()));
        let again = bus.shutdown(Duration::from_secs(1)).await;
        assert!(again.is_clean(), "what was cut is gone: {again:?}");
    });
}

#[test]
fn b15_shutdown_in_the_next_runtime_cuts_what_a_queue_was_left_with() {
    let (bus, work) = (EventBus::new(), Work::new());
    bus.subscribe::<Job>().queued(4, Overflow::Wait).handle_with(Arc::clone(&work), Work::job);
    runtime().block_on(async {
        for job in 0..3 {
            bus.emit(Job(job)).await.unwrap();
        }
        work.until("begin 0").await;
    });
    assert_eq!(work.done(), ["begin 0", "cut 0"]);
    runtime().block_on(async {
        tokio::time::pause();
        let report = bus.shutdown(Duration::from_secs(1)).await;
        assert!(report.is_clean() || report.queued == 2, "{report:?}");
        let again = bus.shutdown(Duration::from_secs(1)).await;
        assert!(again.is_clean(), "what was cut is gone: {again:?}");
    });
}
