//! What a full queue does, at the smallest and at a usual capacity.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use oyez::{EventBus, Overflow, Subscription};
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::SubscriberExt;

use crate::{Gated, Job, listener, not_hanging, waits};

const CAPACITIES: [u64; 2] = [1, 1024];

/// A bus whose handler is at job 0, and whose queue is full with the jobs `1..=capacity`.
async fn full(capacity: u64, overflow: Overflow) -> (EventBus, Subscription, Arc<Gated>) {
    let (bus, gated) = (EventBus::new(), Gated::closed());
    let subscription = bus
        .subscribe::<Job>()
        .queued(usize::try_from(capacity).unwrap_or(usize::MAX), overflow)
        .handle_with(Arc::clone(&gated), Gated::handle);
    for job in 0..=capacity {
        assert!(bus.emit(Job(job)).await.is_ok_and(|emitted| emitted.delivered() == 1));
        gated.until_started(1).await;
    }
    (bus, subscription, gated)
}

#[tokio::test]
async fn b14_a_queued_handler_runs_on_its_own_task() {
    let bus = EventBus::new();
    let here = tokio::task::try_id();
    let (tell, told) = tokio::sync::oneshot::channel();
    let tell = Mutex::new(Some(tell));
    bus.subscribe::<Job>().queued(1, Overflow::Wait).handle_sync(move |_, _| {
        let tell = tell.lock().unwrap().take().unwrap();
        tell.send(tokio::task::try_id()).unwrap();
    });
    bus.emit(Job(1)).await.unwrap();
    let there = told.await.unwrap();
    assert!(there.is_some());
    assert_ne!(there, here);
}

#[tokio::test]
async fn b14_an_emit_does_not_wait_for_a_queued_handler() {
    let (bus, gated) = (EventBus::new(), Gated::closed());
    bus.subscribe::<Job>().queued(4, Overflow::Wait).handle_with(Arc::clone(&gated), Gated::handle);
    let emitted = bus.emit(Job(1)).await.unwrap();
    assert_eq!((emitted.delivered(), emitted.failures().len()), (1, 0));
    gated.until_started(1).await;
}

#[tokio::test]
async fn b14_drop_newest_keeps_the_oldest_and_counts_the_rest() {
    for capacity in CAPACITIES {
        let (bus, subscription, gated) = full(capacity, Overflow::DropNewest).await;
        for job in 1..=7 {
            bus.emit(Job(capacity + job)).await.unwrap();
        }
        let before = listener(&bus, &subscription);
        assert_eq!((before.calls, before.queue_depth as u64, before.dropped), (1, capacity, 7));
        gated.release();
        bus.settle().await;
        assert_eq!(gated.started(), (0..=capacity).collect::<Vec<_>>());
        let after = listener(&bus, &subscription);
        assert_eq!((after.calls, after.queue_depth, after.dropped), (capacity + 1, 0, 7));
    }
}

#[tokio::test]
async fn b14_drop_newest_does_not_count_a_dropped_event_as_delivered() {
    let (bus, _, gated) = full(1, Overflow::DropNewest).await;
    let dropped = bus.emit(Job(2)).await.unwrap();
    assert_eq!(dropped.delivered(), 0, "delivered means finished, or taken into the queue");
    gated.release();
    bus.settle().await;
    assert_eq!(gated.started(), [0, 1]);
}

#[tokio::test]
async fn b14_drop_oldest_keeps_the_newest_and_counts_the_rest() {
    for capacity in CAPACITIES {
        let (bus, subscription, gated) = full(capacity, Overflow::DropOldest).await;
        for job in 1..=7 {
            bus.emit(Job(capacity + job)).await.unwrap();
        }
        let before = listener(&bus, &subscription);
        assert_eq!((before.calls, before.queue_depth as u64, before.dropped), (1, capacity, 7));
        gated.release();
        bus.settle().await;
        let kept: Vec<_> = [0].into_iter().chain(8..=capacity + 7).collect();
        assert_eq!(gated.started(), kept);
        assert_eq!(listener(&bus, &subscription).calls, capacity + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn b14_wait_makes_the_emit_wait_for_room_and_drops_nothing() {
    for capacity in CAPACITIES {
        let (bus, subscription, gated) = full(capacity, Overflow::Wait).await;
        let mut first = Box::pin(bus.emit(Job(capacity + 1)));
        let mut second = Box::pin(bus.emit(Job(capacity + 2)));
        assert!(waits(&mut first).await && waits(&mut second).await);
        assert_eq!(listener(&bus, &subscription).queue_depth as u64, capacity);

        gated.permits.add_permits(1);
        assert_eq!(not_hanging("the first emit", first).await.unwrap().delivered(), 1);
        gated.until_started(2).await;
        assert!(waits(&mut second).await, "one call has ended, so there was room for one");
        gated.release();
        assert_eq!(not_hanging("the second emit", second).await.unwrap().delivered(), 1);

        not_hanging("the queue", bus.settle()).await;
        assert_eq!(gated.started(), (0..=capacity + 2).collect::<Vec<_>>());
        let after = listener(&bus, &subscription);
        assert_eq!((after.calls, after.dropped, after.cancelled), (capacity + 3, 0, 0));
    }
}

#[tokio::test]
async fn b14_a_queue_of_no_places_has_one() {
    let (bus, gated) = (EventBus::new(), Gated::closed());
    let subscription =
        bus.subscribe::<Job>().queued(0, Overflow::DropNewest).handle_with(Arc::clone(&gated), Gated::handle);
    for job in 0..3 {
        bus.emit(Job(job)).await.unwrap();
        gated.until_started(1).await;
    }
    gated.release();
    bus.settle().await;
    assert_eq!((gated.started(), listener(&bus, &subscription).dropped), (vec![0, 1], 1));
}

#[tokio::test]
async fn b14_drops_are_logged_at_a_limited_rate_without_the_payload() {
    let lines = Lines::default();
    let _logging = tracing::subscriber::set_default(tracing_subscriber::registry().with(lines.clone()));
    let began = Instant::now();
    let (bus, gated) = (EventBus::new(), Gated::closed());
    let subscription = bus
        .subscribe::<Job>()
        .name("slow")
        .queued(1, Overflow::DropNewest)
        .handle_with(Arc::clone(&gated), Gated::handle);
    for job in 0..10_002 {
        bus.emit(Job(987_650_000 + job)).await.unwrap();
        gated.until_started(1).await;
    }
    assert_eq!(listener(&bus, &subscription).dropped, 10_000);

    let lines = lines.0.lock().unwrap();
    let seconds = usize::try_from(began.elapsed().as_secs()).unwrap();
    assert!((1..=seconds + 1).contains(&lines.len()), "{} lines in {seconds} s", lines.len());
    for line in &*lines {
        assert!(line.contains("queue.job") && line.contains("slow"), "{line}");
        assert!(!line.contains("98765"), "{line}");
    }
}

/// The warnings that were logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Lines {
    fn on_event(&self, event: &tracing::Event<'_>, _: tracing_subscriber::layer::Context<'_, S>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        if *event.metadata().level() == tracing::Level::WARN {
            self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(line.0);
        }
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.push_str(&format!(" {field}={value:?}"));
    }
}
