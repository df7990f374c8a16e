//! B2: how the handlers of one emit run beside each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use futures_util::FutureExt;
use oyez::{AnyEvent, Dispatch, Event, EventBus};
use tokio::runtime::Handle;

use crate::flavour::on_each_flavour;
use crate::gate::Gate;
use crate::journal::Journal;

#[derive(Debug, Event)]
#[event(name = "concurrency.tick", local)]
struct Tick;

/// A handler that waits at its gate.
struct Waiter {
    place: usize,
    gate: Gate,
    journal: Journal<(&'static str, usize)>,
}

impl Waiter {
    async fn run(&self) {
        self.journal.push(("starts", self.place));
        self.gate.passed().await;
        self.journal.push(("ends", self.place));
    }
}

/// Subscribes handlers that wait, every second one by a pattern.
fn subscribe_waiters<const N: usize>(bus: &EventBus, journal: &Journal<(&'static str, usize)>) -> [Gate; N] {
    std::array::from_fn(|place| {
        let gate = Gate::closed();
        let with = bus.with(Waiter { place, gate: gate.clone(), journal: journal.clone() });
        if place % 2 == 0 {
            with.on(async |waiter: Arc<Waiter>, _: Arc<Tick>| waiter.run().await);
        } else {
            with.on_pattern("*", async |waiter: Arc<Waiter>, _: AnyEvent| waiter.run().await).unwrap();
        }
        gate
    })
}

// This test and others here run on no runtime at all, which also shows that nothing is spawned.
#[test]
fn b02_all_start_in_order_and_are_then_driven_together() {
    for (bus, mode) in [
        (EventBus::new(), None),
        (EventBus::new(), Some(Dispatch::Concurrent)),
        (EventBus::builder().dispatch(Dispatch::Sequential).build(), Some(Dispatch::Concurrent)),
    ] {
        let journal = Journal::new();
        let gates = subscribe_waiters::<5>(&bus, &journal);
        let emit = bus.emit(Tick);
        let mut emit = match mode {
            Some(mode) => emit.dispatch(mode),
            None => emit,
        };
        assert!((&mut emit).now_or_never().is_none());
        assert_eq!(journal.take(), [0, 1, 2, 3, 4].map(|place| ("starts", place)));
        for place in [3, 0, 4, 1] {
            gates[place].open();
            assert!((&mut emit).now_or_never().is_none(), "one still waits");
            assert_eq!(journal.take(), [("ends", place)]);
        }
        gates[2].open();
        assert_eq!(emit.now_or_never().unwrap().unwrap().delivered(), 5);
        assert_eq!(journal.take(), [("ends", 2)]);
    }
}

#[test]
fn b02_sequential_starts_the_next_when_the_one_before_has_finished() {
    let sequential = || EventBus::builder().dispatch(Dispatch::Sequential).build();
    for (bus, mode) in [
        (sequential(), None),
        (sequential(), Some(Dispatch::Sequential)),
        (EventBus::new(), Some(Dispatch::Sequential)),
    ] {
        let journal = Journal::new();
        let gates = subscribe_waiters::<4>(&bus, &journal);
        let emit = bus.emit(Tick);
        let mut emit = match mode {
            Some(mode) => emit.dispatch(mode),
            None => emit,
        };
        assert!((&mut emit).now_or_never().is_none());
        assert_eq!(journal.take(), [("starts", 0)]);
        for place in 1..4 {
            gates[place - 1].open();
            assert!((&mut emit).now_or_never().is_none());
            assert_eq!(journal.take(), [("ends", place - 1), ("starts", place)]);
        }
        gates[3].open();
        assert_eq!(emit.now_or_never().unwrap().unwrap().delivered(), 4);
    }
}

#[tokio::test]
async fn b02_sequential_is_said_in_one_word() {
    let (bus, journal) = (EventBus::new(), Journal::new());
    let gates = subscribe_waiters::<2>(&bus, &journal);
    assert!((&mut bus.emit(Tick).sequential()).now_or_never().is_none());
    assert_eq!(journal.take(), [("starts", 0)]);
    gates.iter().for_each(Gate::open);
    bus.emit(Tick).sequential().await.unwrap();
    assert_eq!(journal.take(), [("starts", 0), ("ends", 0), ("starts", 1), ("ends", 1)]);
}

#[test]
fn b02_a_ready_handler_is_polled_once() {
    let (bus, polls) = (EventBus::new(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&polls);
    bus.on(move |_: Arc<Tick>| {
        let polls = Arc::clone(&counted);
        std::future::poll_fn(move |_| {
            polls.fetch_add(1, Ordering::Relaxed);
            Poll::Ready(())
        })
    });
    let [gate] = subscribe_waiters::<1>(&bus, &Journal::new());
    let mut emit = bus.emit(Tick);
    assert!((&mut emit).now_or_never().is_none());
    gate.open();
    emit.now_or_never().unwrap().unwrap();
    assert_eq!(polls.load(Ordering::Relaxed), 1);
}

#[test]
fn b02_nothing_happens_before_the_first_poll() {
    let (bus, journal) = (EventBus::new(), Journal::new());
    let gates = subscribe_waiters::<2>(&bus, &journal);
    gates.iter().for_each(Gate::open);
    let emit = bus.emit(Tick);
    assert!(journal.take().is_empty());
    drop(emit);
    assert!(journal.take().is_empty());
    assert!(bus.listeners().iter().all(|listener| (listener.calls, listener.cancelled) == (0, 0)));
}

#[test]
fn b02_handlers_run_on_the_emitting_task() {
    on_each_flavour(|_| async {
        let (bus, ids, gate) = (EventBus::new(), Journal::new(), Gate::closed());
        let metrics = Handle::current().metrics();
        let before = metrics.num_alive_tasks();
        for _ in 0..10 {
            let (ids, gate, metrics) = (ids.clone(), gate.clone(), metrics.clone());
            bus.on(move |_: Arc<Tick>| {
                let (ids, gate, metrics) = (ids.clone(), gate.clone(), metrics.clone());
                async move {
                    ids.push((tokio::task::id(), metrics.num_alive_tasks()));
                    gate.passed().await;
                    ids.push((tokio::task::id(), metrics.num_alive_tasks()));
                }
            });
        }
        let opener = async { gate.open() };
        let (emitted, ()) = tokio::join!(async { bus.emit(Tick).await.unwrap() }, opener);
        assert_eq!(emitted.delivered(), 10);
        assert_eq!(ids.take(), vec![(tokio::task::id(), before); 20]);
    });
}

#[test]
fn b02_each_handler_may_wait_for_a_later_one() {
    on_each_flavour(|flavour| async move {
        const HANDLERS: usize = 100;
        let (bus, gates) = (EventBus::new(), std::array::from_fn::<_, HANDLERS, _>(|_| Gate::closed()));
        for place in 0..HANDLERS {
            let (own, before) = (gates[place].clone(), place.checked_sub(1).map(|before| gates[before].clone()));
            bus.on(move |_: Arc<Tick>| {
                let (own, before) = (own.clone(), before.clone());
                async move {
                    own.passed().await;
                    before.iter().for_each(Gate::open);
                }
            });
        }
        let last = gates[HANDLERS - 1].clone();
        let opener = async move { tokio::spawn(async move { last.open() }).await.unwrap() };
        let (emitted, ()) = tokio::join!(async { bus.emit(Tick).await.unwrap() }, opener);
        assert_eq!(emitted.delivered(), HANDLERS, "{flavour:?}");
    });
}

#[test]
fn b02_an_emit_that_moves_to_another_task_is_woken_there() {
    on_each_flavour(|_| async {
        let (bus, journal) = (EventBus::new(), Journal::new());
        let [first, second] = subscribe_waiters::<2>(&bus, &journal);
        let mut emit = Box::pin(async move { bus.emit(Tick).await.unwrap().delivered() });
        assert!(emit.as_mut().now_or_never().is_none());
        let (polled, has_moved) = tokio::sync::oneshot::channel();
        let moved = tokio::spawn(async move {
            let mut polled = Some(polled);
            std::future::poll_fn(move |task| {
                let poll = emit.as_mut().poll(task);
                polled.take().map(|polled| polled.send(()));
                poll
            })
            .await
        });
        has_moved.await.unwrap();
        second.open();
        first.open();
        assert_eq!(moved.await.unwrap(), 2);
    });
}

/// Whether a handler had the event to itself.
async fn owns<const N: usize>(owners: Arc<Journal<(usize, bool)>>, event: Arc<Tick>) {
    owners.push((N, Arc::into_inner(event).is_some()));
}

#[test]
fn b02_the_last_handler_gets_the_event_itself() {
    for mode in [Dispatch::Concurrent, Dispatch::Sequential] {
        let bus = EventBus::builder().dispatch(mode).build();
        let owners = Journal::new();
        bus.with(owners.clone()).on(owns::<0>);
        for _ in 0..2 {
            bus.emit(Tick).now_or_never().unwrap().unwrap();
        }
        bus.with(owners.clone()).on(owns::<1>);
        bus.emit(Tick).now_or_never().unwrap().unwrap();
        assert_eq!(owners.take(), [(0, true), (0, true), (0, false), (1, true)]);
    }
}
