//! `concurrency(n)`: so many calls side by side, and never more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use oyez::{EventBus, Overflow};

use crate::{Gated, Job, listener, not_hanging};

/// How many calls run, and the most that ever did.
#[derive(Default)]
struct Running {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Running {
    fn begin(&self) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
    }

    fn end(&self) {
        self.now.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn most_side_by_side(limit: Option<usize>, capacity: usize) -> usize {
    const JOBS: u64 = 500;
    let (bus, gated, running) = (EventBus::new(), Gated::open(), Arc::new(Running::default()));
    let mut subscribe = bus.subscribe::<Job>().queued(capacity, Overflow::Wait);
    if let Some(limit) = limit {
        subscribe = subscribe.concurrency(limit);
    }
    let state = (Arc::clone(&gated), Arc::clone(&running));
    subscribe.handle(move |job: Arc<Job>| {
        let (gated, running) = state.clone();
        async move {
            running.begin();
            gated.note(job.0);
            for _ in 0..job.0 % 5 {
                tokio::task::yield_now().await;
            }
            running.end();
        }
    });
    for job in 0..JOBS {
        assert!(not_hanging("an emit", bus.emit(Job(job))).await.is_ok());
    }
    not_hanging("the queue", bus.settle()).await;
    assert_eq!(gated.started(), (0..JOBS).collect::<Vec<_>>());
    running.most.load(Ordering::SeqCst)
}

#[tokio::test]
async fn b14_concurrency_is_never_exceeded_and_starts_stay_in_order() {
    for capacity in [1, 2, 1024] {
        assert_eq!(most_side_by_side(None, capacity).await, 1);
        assert_eq!(most_side_by_side(Some(0), capacity).await, 1, "no calls at all would help nobody");
        for limit in [1, 2, 3, 16] {
            assert!(most_side_by_side(Some(limit), capacity).await <= limit, "{limit} at capacity {capacity}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b14_concurrency_is_never_exceeded_on_many_threads() {
    for _ in 0..20 {
        for limit in [1, 3] {
            assert!(most_side_by_side(Some(limit), 2).await <= limit);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn b14_concurrency_is_reached_and_a_place_is_filled_when_a_call_ends() {
    let (bus, gated) = (EventBus::new(), Gated::closed());
    let subscription =
        bus.subscribe::<Job>().queued(16, Overflow::Wait).concurrency(3).handle_with(Arc::clone(&gated), Gated::handle);
    for job in 0..8 {
        bus.emit(Job(job)).await.unwrap();
    }
    not_hanging("the third call", gated.until_started(3)).await;
    tokio::task::yield_now().await;
    assert_eq!((gated.started(), listener(&bus, &subscription).queue_depth), (vec![0, 1, 2], 5));

    gated.permits.add_permits(2);
    not_hanging("the fifth call", gated.until_started(5)).await;
    tokio::task::yield_now().await;
    assert_eq!((gated.started().len(), listener(&bus, &subscription).queue_depth), (5, 3));

    // What arrives while calls wait starts beside them as soon as there is a place.
    gated.release();
    not_hanging("the queue", bus.settle()).await;
    assert_eq!(gated.started(), (0..8).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn b14_an_event_that_arrives_beside_a_waiting_call_starts_at_once() {
    let (bus, gated) = (EventBus::new(), Gated::closed());
    bus.subscribe::<Job>().concurrency(2).handle_with(Arc::clone(&gated), Gated::handle);
    bus.emit(Job(0)).await.unwrap();
    not_hanging("the first call", gated.until_started(1)).await;
    tokio::task::yield_now().await;
    bus.emit(Job(1)).await.unwrap();
    not_hanging("the second call", gated.until_started(2)).await;
}

#[tokio::test(start_paused = true)]
async fn b14_concurrency_alone_gives_a_queue_of_1024_that_waits() {
    let (bus, gated) = (EventBus::new(), Gated::closed());
    let subscription = bus.subscribe::<Job>().concurrency(1).handle_with(Arc::clone(&gated), Gated::handle);
    bus.emit(Job(0)).await.unwrap();
    not_hanging("the first call", gated.until_started(1)).await;
    for job in 1..=1024 {
        bus.emit(Job(job)).await.unwrap();
    }
    let mut more = Box::pin(bus.emit(Job(1025)));
    assert!(crate::waits(&mut more).await);
    assert_eq!(listener(&bus, &subscription).queue_depth, 1024);
    gated.release();
    not_hanging("the last emit", more).await.unwrap();
    not_hanging("the queue", bus.settle()).await;
    assert_eq!(gated.started(), (0..=1025).collect::<Vec<_>>());
}
