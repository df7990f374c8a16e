//! A queue together with the other options of a subscription.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use oyez::layer::from_fn;
use oyez::{AnyEvent, EventBus, HandlerErrorKind, Overflow};
use serde_json::json;

use crate::{Gated, Job, listener, not_hanging};

#[tokio::test(start_paused = true)]
async fn b14_once_in_a_queue_runs_once_and_is_gone_before_it_runs() {
    let (bus, gated) = (EventBus::new(), Gated::closed());
    let subscription =
        bus.subscribe::<Job>().once().queued(1, Overflow::Wait).handle_with(Arc::clone(&gated), Gated::handle);
    for job in 0..3 {
        assert_eq!(bus.emit(Job(job)).await.unwrap().delivered(), usize::from(job == 0));
    }
    assert_eq!((bus.listener_count::<Job>(), subscription.is_on()), (0, false));
    // It is taken, so it can not be taken back: its one event is handled.
    assert!(!subscription.off());
    assert_eq!(bus.remove_all(), 0);
    gated.release();
    not_hanging("the queue", bus.settle()).await;
    assert_eq!(gated.started(), [0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b14_once_in_a_queue_runs_once_among_racing_emitters() {
    for _ in 0..300 {
        let (bus, gated) = (EventBus::new(), Gated::open());
        bus.subscribe::<Job>().once().queued(1, Overflow::Wait).handle_with(Arc::clone(&gated), Gated::handle);
        let emitters: Vec<_> = (0..4)
            .map(|job| {
                let bus = bus.clone();
                tokio::spawn(async move { bus.emit(Job(job)).await.unwrap().delivered() })
            })
            .collect();
        let mut delivered = 0;
        for emitter in emitters {
            delivered += emitter.await.unwrap();
        }
        not_hanging("the queue", bus.settle()).await;
        assert_eq!((delivered, gated.started().len(), bus.stats().subscriptions), (1, 1, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn b14_a_filter_keeps_events_out_of_the_queue() {
    let (bus, gated) = (EventBus::new(), Gated::closed());
    let subscription = bus
        .subscribe::<Job>()
        .filter(|job| job.0 % 2 == 0)
        .queued(2, Overflow::DropNewest)
        .handle_with(Arc::clone(&gated), Gated::handle);
    for job in 0..6 {
        bus.emit(Job(job)).await.unwrap();
        tokio::task::yield_now().await;
    }
    let before = listener(&bus, &subscription);
    assert_eq!((before.queue_depth, before.dropped), (2, 0));
    gated.release();
    not_hanging("the queue", bus.settle()).await;
    assert_eq!((gated.started(), listener(&bus, &subscription).calls), (vec![0, 2, 4], 3));
}

#[tokio::test(start_paused = true)]
async fn b14_a_filter_that_panics_is_a_failure_and_reaches_no_queue() {
    let (bus, gated) = (EventBus::new(), Gated::open());
    let subscription = bus
        .subscribe::<Job>()
        .filter(|job| {
            assert_ne!(job.0, 1);
            true
        })
        .queued(2, Overflow::Wait)
        .handle_with(Arc::clone(&gated), Gated::handle);
    let failed = bus.emit(Job(1)).await.unwrap();
    assert_eq!((failed.delivered(), failed.failures().len()), (0, 1));
    bus.emit(Job(2)).await.unwrap();
    not_hanging("the queue", bus.settle()).await;
    assert_eq!((gated.started(), listener(&bus, &subscription).failures), (vec![2], 1));
}

#[tokio::test(start_paused = true)]
async fn b14_a_timeout_ends_the_call_and_the_queue_goes_on() {
    let (bus, gated) = (EventBus::new(), Gated::closed());
    let subscription = bus
        .subscribe::<Job>()
        .timeout(Duration::from_secs(5))
        .queued(4, Overflow::Wait)
        .handle_with(Arc::clone(&gated), Gated::handle);
    let began = tokio::time::Instant::now();
    for job in 0..3 {
        assert_eq!(bus.emit(Job(job)).await.unwrap().delivered(), 1);
    }
    // No `not_hanging`: with a paused clock its limit might come before the third timeout.
    bus.settle().await;
    assert_eq!(began.elapsed().as_secs(), 15, "one after the other, and each from its own start");
    let seen = listener(&bus, &subscription);
    assert_eq!((gated.started(), seen.calls, seen.failures), (vec![0, 1, 2], 3, 3));
    assert!(seen.last_error.is_some_and(|error| error.contains("timeout")));
}

#[tokio::test(start_paused = true)]
async fn b14_a_layer_that_is_added_later_stands_around_what_waits_already() {
    let (bus, gated, layered) = (EventBus::new(), Gated::closed(), Arc::new(Mutex::new(Vec::new())));
    let own = Arc::clone(&layered);
    bus.subscribe::<Job>()
        .queued(4, Overflow::Wait)
        .layer(from_fn(move |call, next| {
            own.lock().unwrap().push(("own", call.event().downcast::<Job>().unwrap().0));
            next.run(call)
        }))
        .handle_with(Arc::clone(&gated), Gated::handle);
    for job in 0..3 {
        bus.emit(Job(job)).await.unwrap();
    }
    not_hanging("the first call", gated.until_started(1)).await;
    let of_bus = Arc::clone(&layered);
    bus.layer(from_fn(move |call, next| {
        of_bus.lock().unwrap().push(("bus", call.event().downcast::<Job>().unwrap().0));
        next.run(call)
    }));
    gated.release();
    not_hanging("the queue", bus.settle()).await;
    assert_eq!(*layered.lock().unwrap(), [("own", 0), ("bus", 1), ("own", 1), ("bus", 2), ("own", 2)]);
    assert_eq!(gated.started(), [0, 1, 2]);
}

#[tokio::test(start_paused = true)]
async fn b14_a_queue_for_a_pattern_takes_typed_and_untyped_events_in_order() {
    let (bus, seen) = (EventBus::new(), Arc::new(Mutex::new(Vec::new())));
    let names = Arc::clone(&seen);
    bus.subscribe_pattern("queue.*").unwrap().name("all").queued(8, Overflow::Wait).handle(move |event: AnyEvent| {
        names.lock().unwrap().push(event.name().to_owned());
        std::future::ready(())
    });
    bus.emit(Job(1)).await.unwrap();
    bus.emit_json("queue.unknown", json!(2)).await.unwrap();
    bus.emit(Job(3)).await.unwrap();
    not_hanging("the queue", bus.settle()).await;
    assert_eq!(*seen.lock().unwrap(), ["queue.job", "queue.unknown", "queue.job"]);
}

#[tokio::test(start_paused = true)]
async fn b14_a_timeout_ends_a_call_without_a_queue_too() {
    let (bus, gated) = (EventBus::new(), Gated::closed());
    let slow = bus.subscribe::<Job>().timeout(Duration::from_secs(5)).handle_with(Arc::clone(&gated), Gated::handle);
    bus.subscribe::<Job>().timeout(Duration::from_secs(5)).handle(async |_: Arc<Job>| tokio::task::yield_now().await);
    let began = tokio::time::Instant::now();
    let emitted = bus.emit(Job(1)).await.unwrap();
    assert_eq!((emitted.delivered(), emitted.failures().len(), began.elapsed().as_secs()), (1, 1, 5));
    let failure = &emitted.failures()[0];
    assert_eq!((failure.subscription(), failure.error().kind()), (slow.id(), HandlerErrorKind::TimedOut));
    assert!(slow.is_on());
}

#[test]
fn b14_a_queued_handler_outside_of_a_runtime_is_a_failure() {
    let bus = EventBus::new();
    let calls = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&calls);
    let queued = bus.subscribe::<Job>().queued(1, Overflow::Wait).handle_sync(|_, _| {});
    bus.on_sync(move |_: &Job, _| {
        count.fetch_add(1, Ordering::SeqCst);
    });
    let mut emit = Box::pin(bus.emit(Job(1)));
    let mut task = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(emitted) = emit.as_mut().poll(&mut task) else { unreachable!("nothing waits") };
    let emitted = emitted.unwrap();
    assert_eq!(emitted.delivered(), 1);
    let failure = &emitted.failures()[0];
    assert_eq!((failure.subscription(), failure.error().kind()), (queued.id(), HandlerErrorKind::NoRuntime));
    let seen = listener(&bus, &queued);
    assert_eq!((seen.queue_depth, seen.failures, calls.load(Ordering::SeqCst)), (0, 1, 1));
}
