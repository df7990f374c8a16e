//! B5: a handler that runs once at most.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use oyez::{AnyEvent, Event, EventBus, Overflow, Subscription};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::Barrier;

use crate::faults::Fault;
use crate::flavour::on_each_flavour;
use crate::journal::Journal;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "once.tick")]
struct Tick;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "once.tock")]
struct Tock;

/// Every way to subscribe once; `act` is what the handler does.
fn subscribe_once<F: Fn() + Clone + Send + Sync + 'static>(bus: &EventBus, act: F) -> Vec<Subscription> {
    let acts: [_; 7] = std::array::from_fn(|_| act.clone());
    let [exact, sync, pattern, all, literal, filter, layer] = acts;
    let any = bus.subscribe_pattern("*").unwrap().once();
    vec![
        bus.once(move |_: Arc<Tick>| std::future::ready(exact())),
        bus.subscribe::<Tick>().once().handle_sync(move |_, _| sync()),
        bus.subscribe_pattern("once.*").unwrap().once().handle(move |_: AnyEvent| std::future::ready(pattern())),
        any.handle_sync(move |_, _| all()),
        bus.subscribe_pattern("once.tick").unwrap().once().handle_sync(move |_, _| literal()),
        bus.subscribe::<Tick>().once().filter(|_| true).handle(move |_: Arc<Tick>| std::future::ready(filter())),
        bus.subscribe::<Tick>()
            .once()
            .layer(oyez::layer::from_fn(|call, next| next.run(call)))
            .handle(move |_: Arc<Tick>| std::future::ready(layer())),
        bus.with(act).once(async |act: Arc<F>, _: Arc<Tick>| act()),
    ]
}

#[tokio::test]
async fn b05_a_once_handler_is_gone_before_it_runs() {
    for typed in [true, false] {
        let (bus, journal) = (EventBus::new(), Journal::new());
        let (inner, seen) = (bus.clone(), journal.clone());
        let subscriptions =
            subscribe_once(&bus, move || seen.push((inner.listener_count::<Tick>(), inner.listeners().len())));
        let count = subscriptions.len();
        let emitted = match typed {
            true => bus.emit(Tick).await,
            false => bus.emit_json("once.tick", json!(null)).await,
        };
        assert_eq!(emitted.unwrap().delivered(), count);
        assert_eq!(journal.take(), (0..count).rev().map(|left| (left, left)).collect::<Vec<_>>());
        assert!(subscriptions.iter().all(|subscription| !subscription.is_on() && !subscription.off()));
        assert_eq!(bus.emit(Tick).await.unwrap().delivered(), 0);
    }
}

#[tokio::test]
async fn b05_a_once_handler_that_emits_its_own_event_runs_once() {
    let (bus, count) = (EventBus::new(), Arc::new(AtomicUsize::new(0)));
    let (inner, counted) = (bus.clone(), Arc::clone(&count));
    let subscriptions = subscribe_once(&bus, move || {
        counted.fetch_add(1, Ordering::Relaxed);
        inner.emit(Tick).now_or_never().unwrap().unwrap();
        inner.emit_json("once.tick", json!(null)).now_or_never().unwrap().unwrap();
    });
    bus.emit(Tick).await.unwrap();
    assert_eq!(count.load(Ordering::Relaxed), subscriptions.len());
}

#[tokio::test]
async fn b05_one_call_for_all_names_of_a_pattern() {
    let (bus, journal) = (EventBus::new(), Journal::new());
    let seen = journal.clone();
    let once = bus.subscribe_pattern("once.*").unwrap().once();
    once.handle_sync(move |event: &AnyEvent, _| seen.push(event.name().to_owned()));
    bus.emit(Tock).await.unwrap();
    bus.emit(Tick).await.unwrap();
    bus.emit_json("once.other", json!(1)).await.unwrap();
    assert_eq!(journal.take(), ["once.tock"]);
    assert_eq!((bus.listener_count_of("once.other"), bus.listener_count::<Tick>()), (0, 0));
}

#[tokio::test]
async fn b05_what_the_filter_refuses_does_not_use_it_up() {
    #[derive(Event)]
    #[event(name = "once.number", local)]
    struct Number(u32);

    let (bus, journal) = (EventBus::new(), Journal::new());
    let seen = journal.clone();
    let once = bus.subscribe::<Number>().once().filter(|number| number.0 > 2);
    let once = once.handle_sync(move |number, _| seen.push(number.0));
    for number in 1..=5 {
        bus.emit(Number(number)).await.unwrap();
        assert_eq!(once.is_on(), number <= 2);
    }
    assert_eq!(journal.take(), [3]);
}

#[tokio::test(start_paused = true)]
async fn b05_a_once_handler_that_fails_is_used_up() {
    for fault in Fault::ALL {
        let bus = EventBus::new();
        let once = bus.subscribe::<Tick>().once().timeout(std::time::Duration::from_secs(1));
        let once = once.handle(move |_: Arc<Tick>| fault.begin());
        let emitted = bus.emit(Tick).await.unwrap();
        assert_eq!(emitted.failures().len(), 1, "{fault:?}");
        std::mem::forget(emitted);
        assert!(!once.off());
        assert_eq!(bus.emit(Tick).await.unwrap().failures().len(), 0, "{fault:?}");
    }
}

#[test]
fn b05_a_queued_once_handler_takes_one_event() {
    on_each_flavour(|_| async {
        let (bus, count) = (EventBus::new(), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&count);
        let once = bus.subscribe::<Tick>().once().queued(8, Overflow::Wait);
        let once = once.handle_sync(move |_, _| _ = counted.fetch_add(1, Ordering::Relaxed));
        for _ in 0..3 {
            bus.emit(Tick).await.unwrap();
        }
        bus.settle().await;
        assert_eq!((count.load(Ordering::Relaxed), once.off()), (1, false));
    });
}

#[test]
fn b05_emits_at_the_same_time_make_one_call() {
    const ROUNDS: usize = 10_000;
    const TASKS: usize = 4;
    on_each_flavour(|_| async {
        let (bus, barrier) = (EventBus::new(), Arc::new(Barrier::new(TASKS + 1)));
        let tasks: Vec<_> = (0..TASKS)
            .map(|task| {
                let (bus, barrier) = (bus.clone(), Arc::clone(&barrier));
                tokio::spawn(async move {
                    for round in 0..ROUNDS {
                        barrier.wait().await;
                        if (round + task) % 3 == 0 {
                            bus.emit_json("once.tick", json!(null)).await.unwrap();
                        } else {
                            bus.emit(Tick).await.unwrap();
                        }
                        barrier.wait().await;
                    }
                })
            })
            .collect();
        let count = Arc::new(AtomicUsize::new(0));
        for round in 1..=ROUNDS {
            let counted = Arc::clone(&count);
            let act = move || _ = counted.fetch_add(1, Ordering::Relaxed);
            let once = match round % 3 {
                0 => bus.subscribe::<Tick>().once().handle_sync(move |_, _| act()),
                1 => bus.subscribe_pattern("once.*").unwrap().once().handle_sync(move |_, _| act()),
                _ => bus.once(move |_: Arc<Tick>| std::future::ready(act())),
            };
            barrier.wait().await;
            barrier.wait().await;
            assert_eq!(count.load(Ordering::Relaxed), round);
            assert!(!once.off());
        }
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!((bus.listeners().len(), bus.stats().subscriptions), (0, 0));
    });
}
