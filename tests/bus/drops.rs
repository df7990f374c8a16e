//! B3: what belongs to a handler may panic when it is dropped.

use std::future::{pending, ready};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use oyez::layer::from_fn;
use oyez::{AnyEvent, Detached, Event, EventBus, Overflow, Subscription};

use crate::bomb::Bomb;
use crate::faults::Fault;
use crate::gate::Gate;
use crate::journal::Journal;

#[derive(Debug, Event)]
#[event(name = "drops.tick", local)]
struct Tick;

/// Subscribes handlers that keep a bomb, each in another place.
fn subscribe_bombs(bus: &EventBus) -> Vec<Subscription> {
    let [exact, sync, filter, pattern, queue] = std::array::from_fn(|_| Bomb);
    vec![
        bus.on(move |_: Arc<Tick>| ready(look_at(&exact))),
        bus.on_sync(move |_: &Tick, _| look_at(&sync)),
        bus.subscribe::<Tick>().filter(move |_| filter.to_string() == "a bomb").handle(async |_: Arc<Tick>| ()),
        bus.on_pattern("drops.*", move |_: AnyEvent| ready(look_at(&pattern))).unwrap(),
        bus.subscribe::<Tick>().queued(1, Overflow::Wait).handle(move |_: Arc<Tick>| ready(look_at(&queue))),
        bus.with(Bomb).on(async |bomb: Arc<Bomb>, _: Arc<Tick>| look_at(&bomb)),
    ]
}

fn look_at(bomb: &Bomb) {
    assert_eq!(bomb.to_string(), "a bomb");
}

#[tokio::test]
async fn b03_what_a_removed_handler_kept_may_panic_when_dropped() {
    let bus = EventBus::new();
    for subscription in subscribe_bombs(&bus) {
        assert!(subscription.off());
    }
    let subscriptions = subscribe_bombs(&bus);
    assert_eq!(bus.remove_all(), subscriptions.len());
    for subscription in subscribe_bombs(&bus) {
        drop(subscription.guard());
    }
    assert_eq!(bus.listener_count::<Tick>(), 0);
    assert_eq!(bus.emit(Tick).await.unwrap().delivered(), 0);
}

#[tokio::test]
async fn b03_what_a_layer_kept_may_panic_when_dropped() {
    let bus = EventBus::new();
    let bomb = Bomb;
    let layer = from_fn(move |call, next| {
        look_at(&bomb);
        next.run(call)
    });
    let subscription = bus.subscribe::<Tick>().layer(layer).handle(async |_: Arc<Tick>| ());
    assert_eq!(bus.emit(Tick).await.unwrap().delivered(), 1);
    assert!(subscription.off());
}

#[tokio::test]
async fn b03_what_handlers_kept_may_panic_when_the_bus_is_dropped() {
    let bus = EventBus::new();
    let subscriptions = subscribe_bombs(&bus);
    bus.emit(Tick).await.unwrap();
    bus.settle().await;
    drop(bus);
    assert!(subscriptions.iter().all(|subscription| !subscription.is_on()));
}

#[tokio::test]
async fn b03_what_a_handler_kept_may_panic_at_the_end_of_the_emit_that_removed_it() {
    let bus = EventBus::new();
    bus.with(bus.clone()).on(async |bus: Arc<EventBus>, _: Arc<Tick>| assert_eq!(bus.remove_all(), 7));
    subscribe_bombs(&bus);
    let emitted = bus.emit(Tick).await.unwrap();
    assert_eq!((emitted.delivered(), emitted.failures().len()), (1, 0));
    let bomb = Bomb;
    bus.once(move |_: Arc<Tick>| ready(look_at(&bomb)));
    assert_eq!(bus.emit(Tick).await.unwrap().delivered(), 1);
}

#[test]
fn b03_a_cancelled_future_may_panic_when_dropped() {
    let (bus, journal) = (EventBus::new(), Journal::new());
    for place in 0..3 {
        let journal = journal.clone();
        bus.on(move |_: Arc<Tick>| {
            let (bomb, journal) = (Bomb, journal.clone());
            async move {
                journal.push(place);
                pending::<()>().await;
                drop(bomb);
            }
        });
    }
    let mut emit = bus.emit(Tick);
    assert!((&mut emit).now_or_never().is_none());
    drop(emit);
    assert_eq!(journal.take(), [0, 1, 2]);
    assert!(bus.listeners().iter().all(|listener| listener.cancelled == 1));
}

#[test]
fn b03_an_error_may_panic_when_its_failure_is_dropped() {
    let bus = EventBus::new();
    bus.on(|_: Arc<Tick>| Fault::ErrorWhoseDropPanics.begin());
    bus.on_sync(|_: &Tick, _| Fault::ErrorWhoseDropPanics.run());
    let emitted = bus.emit(Tick).now_or_never().unwrap().unwrap();
    assert_eq!(emitted.failures().len(), 2);
    drop(emitted);
    bus.on(async |_: Arc<Tick>| pending::<()>().await);
    let mut emit = bus.emit(Tick);
    assert!((&mut emit).now_or_never().is_none());
    drop(emit);
}

#[tokio::test(start_paused = true)]
async fn b03_a_queue_goes_on_after_an_error_that_panics_when_dropped() {
    let (bus, journal, gate) = (EventBus::new(), Journal::new(), Gate::closed());
    let (started, wait) = (journal.clone(), gate.clone());
    bus.subscribe::<Tick>().queued(8, Overflow::Wait).concurrency(2).handle(move |_: Arc<Tick>| {
        let (started, wait) = (started.clone(), wait.clone());
        async move {
            started.push("starts");
            wait.passed().await;
            started.push("ends");
            Fault::ErrorWhoseDropPanics.begin().await
        }
    });
    for _ in 0..4 {
        bus.emit(Tick).await.unwrap();
    }
    tokio::task::yield_now().await;
    gate.open();
    tokio::time::timeout(Duration::from_secs(60), bus.settle()).await.expect("the queue is worked off");
    let journal = journal.take();
    let count = |word| journal.iter().filter(|entry| **entry == word).count();
    assert_eq!((count("starts"), count("ends")), (4, 4));
    assert_eq!(bus.listeners()[0].failures, 4);
}

/// Awaits a detached emit, which fails the test if the line has stopped before it. (To settle would set it going again.)
async fn assert_reached(last: Detached) {
    let outcome = tokio::time::timeout(Duration::from_secs(60), last).await.expect("the line is worked off");
    std::mem::forget(outcome.unwrap());
}

#[tokio::test(start_paused = true)]
async fn b03_the_line_goes_on_after_an_error_that_panics_when_dropped() {
    let (bus, journal) = (EventBus::new(), Journal::new());
    let seen = journal.clone();
    bus.on_sync(move |_: &Tick, _| seen.push("seen"));
    bus.on(|_: Arc<Tick>| Fault::ErrorWhoseDropPanics.begin());
    for round in 0..2 {
        if round == 1 {
            bus.on(|_: Arc<Tick>| async {
                tokio::task::yield_now().await;
                Fault::ErrorWhoseDropPanics.begin().await
            });
        }
        // One alone, which nobody awaits, and then several.
        bus.post(Tick).unwrap();
        bus.settle().await;
        assert_eq!(journal.take().len(), 1);
        (0..3).for_each(|_| bus.post(Tick).unwrap());
        assert_reached(bus.emit_detached(Tick).unwrap()).await;
        assert_eq!(journal.take().len(), 4);
    }
}

/// An event that is itself a bomb.
#[derive(Debug, Event)]
#[event(name = "drops.explosive", local)]
struct Explosive(Bomb);

#[tokio::test(start_paused = true)]
async fn b03_the_line_goes_on_after_an_event_that_panics_when_dropped() {
    let (bus, journal) = (EventBus::new(), Journal::new());
    let seen = journal.clone();
    bus.on_sync(move |_: &Tick, _| seen.push("seen"));
    for handlers in 0..=2 {
        if handlers > 0 {
            bus.on_sync(|event: &Explosive, _| look_at(&event.0));
        }
        bus.post(Explosive(Bomb)).unwrap();
        assert_reached(bus.emit_detached(Tick).unwrap()).await;
        assert_eq!(journal.take(), ["seen"], "{handlers} handlers");
        bus.on(async |event: Arc<Explosive>| look_at(&event.0));
    }
}
