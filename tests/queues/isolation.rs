//! What goes wrong in a queued handler ends that call, and never the queue.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use oyez::{Event, EventBus, Overflow};

use crate::{Job, listener, not_hanging};

/// An error whose own drop panics.
#[derive(Debug)]
struct Vicious;

impl fmt::Display for Vicious {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("vicious")
    }
}

impl std::error::Error for Vicious {}

impl Drop for Vicious {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "dropping an error panics");
    }
}

#[tokio::test(start_paused = true)]
async fn b14_handlers_that_panic_or_fail_keep_the_queue_alive() {
    let bus = EventBus::new();
    let subscription = bus.subscribe::<Job>().queued(16, Overflow::Wait).handle(|job: Arc<Job>| {
        assert_ne!(job.0, 1, "a panic before the future");
        async move {
            assert_ne!(job.0, 2, "a panic in the first poll");
            tokio::task::yield_now().await;
            assert_ne!(job.0, 3, "a panic after an await");
            match job.0 {
                4 => std::panic::panic_any(7),
                5 => Err("it failed"),
                _ => Ok(()),
            }
        }
    });
    for job in 0..=6 {
        assert_eq!(bus.emit(Job(job)).await.unwrap().delivered(), 1);
    }
    not_hanging("the queue", bus.settle()).await;
    let seen = listener(&bus, &subscription);
    assert_eq!((seen.calls, seen.failures), (7, 5));
    assert!(seen.last_error.is_some_and(|error| error.contains("it failed")));
}

#[tokio::test(start_paused = true)]
async fn b14_an_error_whose_drop_panics_keeps_the_queue_alive() {
    let bus = EventBus::new();
    let subscription = bus
        .subscribe::<Job>()
        .queued(16, Overflow::Wait)
        .handle(|job: Arc<Job>| async move { if job.0 == 1 { Err(Vicious) } else { Ok(()) } });
    for job in 0..=4 {
        bus.emit(Job(job)).await.unwrap();
    }
    not_hanging("the queue", bus.settle()).await;
    let seen = listener(&bus, &subscription);
    assert_eq!((seen.calls, seen.failures, seen.queue_depth), (5, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn b14_an_event_whose_drop_panics_keeps_the_queue_alive() {
    #[derive(Debug, Event)]
    #[event(name = "queue.bomb", local)]
    struct Bomb(bool);

    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(!self.0 || std::thread::panicking(), "dropping an event panics");
        }
    }

    for overflow in [Overflow::Wait, Overflow::DropOldest, Overflow::DropNewest] {
        let bus = EventBus::new();
        let handled = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&handled);
        let subscription = bus.subscribe::<Bomb>().queued(2, overflow).handle(move |_: Arc<Bomb>| {
            count.fetch_add(1, Ordering::SeqCst);
            std::future::ready(())
        });
        for bomb in [false, true, true, true, true, false] {
            // The drop of the emit's own `Arc` is the emitter's; its panic would be too.
            let emit = tokio::spawn({
                let bus = bus.clone();
                async move { bus.emit(Bomb(bomb)).await.map(drop) }
            });
            _ = not_hanging("an emit", emit).await;
        }
        not_hanging("the queue", bus.settle()).await;
        bus.emit(Bomb(false)).await.unwrap();
        not_hanging("the queue", bus.settle()).await;
        let seen = listener(&bus, &subscription);
        assert_eq!(seen.calls + seen.dropped, 7, "{overflow:?}: {seen:?}");
        assert_eq!(handled.load(Ordering::SeqCst), seen.calls);
    }
}

#[tokio::test(start_paused = true)]
async fn b14_a_failure_in_a_queue_is_seen_by_no_emit_and_by_no_other_handler() {
    let bus = EventBus::new();
    bus.subscribe::<Job>().queued(1, Overflow::Wait).handle(async |_: Arc<Job>| Err("it failed"));
    let other = bus.subscribe::<Job>().queued(1, Overflow::Wait).handle(async |_: Arc<Job>| {});
    let emitted = bus.emit(Job(1)).await.unwrap();
    assert_eq!((emitted.delivered(), emitted.failures().len()), (2, 0));
    not_hanging("the queue", bus.settle()).await;
    assert_eq!((listener(&bus, &other).calls, listener(&bus, &other).failures), (1, 0));
}
