//! B2: what becomes of the handlers when the future of their emit is dropped.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use oyez::{Dispatch, Event, EventBus};

use crate::flavour::on_each_flavour;
use crate::gate::Gate;
use crate::journal::Journal;

#[derive(Debug, Event)]
#[event(name = "cancellation.tick", local)]
struct Tick;

#[derive(Debug, Event)]
#[event(name = "cancellation.inner", local)]
struct Inner;

/// Writes when it is dropped.
struct Witness(&'static str, Journal<&'static str>);

impl Drop for Witness {
    fn drop(&mut self) {
        self.1.push(self.0);
    }
}

/// Subscribes a handler that is ready, two that wait for ever, and one that is ready.
fn subscribe(bus: &EventBus, journal: &Journal<&'static str>) {
    let ready = async |journal: Arc<Journal<&'static str>>, _: Arc<Tick>| journal.push("ready");
    bus.with(journal.clone()).on(ready);
    for name in ["first", "second"] {
        let journal = journal.clone();
        bus.on(move |_: Arc<Tick>| {
            let witness = Witness(name, journal.clone());
            async move {
                std::future::pending::<()>().await;
                witness.1.push("went on after it was cancelled");
            }
        });
    }
    bus.with(journal.clone()).on(ready);
}

/// Calls and cancellations of each handler.
fn counts(bus: &EventBus) -> Vec<(u64, u64)> {
    bus.listeners().iter().map(|listener| (listener.calls, listener.cancelled)).collect()
}

#[test]
fn b02_dropping_a_concurrent_emit_cancels_the_handlers_that_wait() {
    let (bus, journal) = (EventBus::new(), Journal::new());
    subscribe(&bus, &journal);
    let mut emit = bus.emit(Tick);
    assert!((&mut emit).now_or_never().is_none());
    assert_eq!(journal.take(), ["ready", "ready"]);
    drop(emit);
    let mut dropped = journal.take();
    dropped.sort_unstable();
    assert_eq!(dropped, ["first", "second"]);
    assert_eq!(counts(&bus), [(1, 0), (1, 1), (1, 1), (1, 0)]);
    assert!(bus.listeners().iter().all(|listener| listener.failures == 0));
}

#[test]
fn b02_dropping_a_sequential_emit_starts_no_more() {
    let (bus, journal) = (EventBus::new(), Journal::new());
    subscribe(&bus, &journal);
    let mut emit = bus.emit(Tick).sequential();
    assert!((&mut emit).now_or_never().is_none());
    assert_eq!(journal.take(), ["ready"]);
    drop(emit);
    assert_eq!(journal.take(), ["first"]);
    assert_eq!(counts(&bus), [(1, 0), (1, 1), (0, 0), (0, 0)]);
}

#[test]
fn b02_a_handler_that_has_not_started_counts_no_call() {
    let (bus, journal) = (EventBus::new(), Journal::new());
    subscribe(&bus, &journal);
    let mut emit = bus.emit(Tick).sequential();
    assert!((&mut emit).now_or_never().is_none());
    assert_eq!(counts(&bus), [(1, 0), (1, 0), (0, 0), (0, 0)]);
}

#[test]
fn b02_dropping_an_emit_cancels_the_emits_inside_it() {
    for mode in [Dispatch::Concurrent, Dispatch::Sequential] {
        let (bus, journal) = (EventBus::builder().dispatch(mode).build(), Journal::new());
        bus.with(bus.clone()).on(async |bus: Arc<EventBus>, _: Arc<Tick>| {
            bus.emit(Inner).await.unwrap();
        });
        let witness = journal.clone();
        bus.on(move |_: Arc<Inner>| {
            let witness = Witness("inner", witness.clone());
            async move {
                std::future::pending::<()>().await;
                drop(witness);
            }
        });
        let mut emit = bus.emit(Tick);
        assert!((&mut emit).now_or_never().is_none());
        assert!(journal.take().is_empty());
        drop(emit);
        assert_eq!(journal.take(), ["inner"]);
        assert_eq!(counts(&bus), [(1, 1), (1, 1)]);
    }
}

#[tokio::test(start_paused = true)]
async fn b02_a_cancelled_handler_is_whole_for_the_next_emit() {
    let (bus, journal, gate) = (EventBus::new(), Journal::new(), Gate::closed());
    bus.with((journal.clone(), gate.clone())).on(async |with: Arc<(Journal<&'static str>, Gate)>, _: Arc<Tick>| {
        with.1.passed().await;
        with.0.push("done");
    });
    for cancelled in 1..=3 {
        tokio::time::timeout(Duration::from_secs(1), bus.emit(Tick)).await.unwrap_err();
        assert_eq!(counts(&bus), [(cancelled, cancelled)]);
    }
    gate.open();
    assert_eq!(bus.emit(Tick).await.unwrap().delivered(), 1);
    assert_eq!(journal.take(), ["done"]);
}

#[tokio::test]
async fn b02_a_cancelled_once_handler_is_used_up() {
    let bus = EventBus::new();
    let subscription = bus.once(async |_: Arc<Tick>| std::future::pending::<()>().await);
    assert!(bus.emit(Tick).now_or_never().is_none());
    assert!(!subscription.off());
    assert_eq!(bus.emit(Tick).await.unwrap().delivered(), 0);
}

#[test]
fn b02_a_detached_emit_outlives_its_caller() {
    on_each_flavour(|_| async {
        let (bus, journal, gate) = (EventBus::new(), Journal::new(), Gate::closed());
        bus.with((journal.clone(), gate.clone())).on(async |with: Arc<(Journal<&'static str>, Gate)>, _: Arc<Tick>| {
            with.0.push("starts");
            with.1.passed().await;
            with.0.push("ends");
        });
        let caller = tokio::spawn({
            let bus = bus.clone();
            async move {
                drop(bus.emit_detached(Tick).unwrap());
                drop(bus.emit(Tick).detach().unwrap());
                std::future::pending::<()>().await;
            }
        });
        while bus.listeners()[0].calls < 2 {
            tokio::task::yield_now().await;
        }
        caller.abort();
        assert!(caller.await.unwrap_err().is_cancelled());
        gate.open();
        bus.settle().await;
        assert_eq!(journal.take(), ["starts", "starts", "ends", "ends"]);
        assert_eq!(counts(&bus), [(2, 0)]);
    });
}
