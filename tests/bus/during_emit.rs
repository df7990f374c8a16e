//! B4: who gets an event when handlers come and go while it is under way.

use std::sync::{Arc, Mutex, OnceLock};

use futures_util::FutureExt;
use oyez::{AnyEvent, Dispatch, Event, EventBus, Subscription};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::flavour::on_each_flavour;
use crate::gate::Gate;
use crate::journal::Journal;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "during.tick")]
struct Tick;

/// The shapes of a handler that this file mixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Exact,
    Sync,
    Pattern,
    All,
}

const SHAPES: [Shape; 4] = [Shape::Exact, Shape::Sync, Shape::Pattern, Shape::All];

/// Subscribes `act` in a shape.
fn on(bus: &EventBus, shape: Shape, act: impl Fn() + Send + Sync + 'static) -> Subscription {
    match shape {
        Shape::Exact => bus.on(move |_: Arc<Tick>| std::future::ready(act())),
        Shape::Sync => bus.on_sync(move |_: &Tick, _| act()),
        Shape::Pattern => bus.on_pattern("during.*", move |_: AnyEvent| std::future::ready(act())).unwrap(),
        Shape::All => bus.subscribe_pattern("*").unwrap().handle_sync(move |_, _| act()),
    }
}

/// How an event is emitted: typed or not, and how its handlers run beside each other.
#[derive(Debug, Clone, Copy)]
struct Way {
    typed: bool,
    mode: Dispatch,
}

fn ways() -> impl Iterator<Item = Way> {
    let modes = [Dispatch::Concurrent, Dispatch::Sequential];
    modes.into_iter().flat_map(|mode| [true, false].map(|typed| Way { typed, mode }))
}

impl Way {
    fn emit(self, bus: &EventBus) -> usize {
        let emitted = if self.typed {
            bus.emit(Tick).dispatch(self.mode).now_or_never()
        } else {
            bus.emit_json("during.tick", json!(null)).dispatch(self.mode).now_or_never()
        };
        emitted.expect("all handlers are ready").unwrap().delivered()
    }
}

#[test]
fn b04_who_is_added_during_an_emit_sees_the_next() {
    for way in ways() {
        for adder in SHAPES {
            for added in SHAPES {
                let (bus, journal) = (EventBus::new(), Journal::new());
                let (inner, seen) = (bus.clone(), journal.clone());
                on(&bus, adder, move || {
                    let seen = seen.clone();
                    on(&inner, added, move || seen.push(added));
                });
                for emit in 0..4 {
                    assert_eq!(way.emit(&bus), 1 + emit, "{way:?} {adder:?} {added:?}");
                    assert_eq!(journal.take(), vec![added; emit]);
                }
            }
        }
    }
}

#[test]
fn b04_a_nested_emit_is_a_next_one() {
    for way in ways() {
        let (bus, journal, once) = (EventBus::new(), Journal::new(), OnceLock::new());
        let (inner, seen) = (bus.clone(), journal.clone());
        on(&bus, Shape::Sync, move || {
            if once.set(()).is_ok() {
                let added = seen.clone();
                on(&inner, Shape::Exact, move || added.push("added"));
                assert_eq!(way.emit(&inner), 2);
                seen.push("nested emit is over");
            }
        });
        assert_eq!(way.emit(&bus), 1);
        assert_eq!(journal.take(), ["added", "nested emit is over"]);
    }
}

/// Subscribes `shapes.len()` handlers, of which the one at `remover` removes those at `removed`.
fn subscribe(bus: &EventBus, shapes: &[Shape], remover: usize, removed: Vec<usize>) -> Journal<usize> {
    let (journal, subscriptions) = (Journal::new(), Arc::new(Mutex::new(Vec::<Subscription>::new())));
    for (place, shape) in shapes.iter().copied().enumerate() {
        let (seen, all, removed) = (journal.clone(), Arc::clone(&subscriptions), removed.clone());
        let subscription = on(bus, shape, move || {
            seen.push(place);
            if place == remover {
                let all = all.lock().unwrap().clone();
                removed.iter().for_each(|other| _ = all[*other].off());
            }
        });
        subscriptions.lock().unwrap().push(subscription);
    }
    journal
}

#[test]
fn b04_who_is_removed_before_its_turn_is_skipped_and_nobody_else() {
    let rotations = (0..SHAPES.len()).map(|by| {
        let mut shapes = SHAPES.repeat(2);
        shapes.rotate_left(by);
        shapes
    });
    let layouts: Vec<_> = rotations.chain(SHAPES.map(|shape| vec![shape; 8])).collect();
    for way in ways() {
        for shapes in &layouts {
            for (remover, removed) in (0..8).flat_map(|remover| (0..8).map(move |removed| (remover, removed))) {
                let bus = EventBus::new();
                let journal = subscribe(&bus, shapes, remover, vec![removed]);
                let expected: Vec<_> = (0..8).filter(|place| *place != removed || removed <= remover).collect();
                assert_eq!(way.emit(&bus), expected.len());
                assert_eq!(journal.take(), expected, "{way:?} {shapes:?}: {remover} removes {removed}");
                way.emit(&bus);
                let expected: Vec<_> = (0..8).filter(|place| *place != removed).collect();
                assert_eq!(journal.take(), expected, "{way:?} {shapes:?}: {remover} removed {removed}");
            }
        }
    }
}

#[test]
fn b04_any_number_may_be_removed_by_one_handler() {
    for way in ways() {
        for removed in 0..64_usize {
            let removed: Vec<_> = (0..6).filter(|place| removed & (1 << place) != 0).collect();
            let bus = EventBus::new();
            let journal = subscribe(&bus, &[SHAPES[removed.len() % 4]; 6], 2, removed.clone());
            way.emit(&bus);
            let expected: Vec<_> = (0..6).filter(|place| *place <= 2 || !removed.contains(place)).collect();
            assert_eq!(journal.take(), expected);
        }
    }
}

#[test]
fn b04_remove_all_ends_the_emit_for_those_behind() {
    for way in ways() {
        let (bus, journal) = (EventBus::new(), Journal::new());
        for place in 0..6 {
            let (inner, seen) = (bus.clone(), journal.clone());
            on(&bus, SHAPES[place % 4], move || {
                seen.push(place);
                if place == 3 {
                    assert_eq!(inner.remove_all(), 6);
                    assert_eq!(inner.remove_all(), 0);
                    let seen = seen.clone();
                    on(&inner, Shape::Exact, move || seen.push(usize::MAX));
                    assert_eq!(inner.remove_all_of::<Tick>(), 1);
                }
            });
        }
        assert_eq!(way.emit(&bus), 4);
        assert_eq!(journal.take(), [0, 1, 2, 3]);
        assert_eq!(way.emit(&bus), 0);
        assert!(bus.listeners().is_empty());
    }
}

#[test]
fn b04_who_is_removed_and_added_again_is_new() {
    for way in ways() {
        let (bus, journal) = (EventBus::new(), Journal::new());
        let own = Arc::new(OnceLock::<Subscription>::new());
        let (inner, seen, other) = (bus.clone(), journal.clone(), Arc::clone(&own));
        on(&bus, Shape::Exact, move || {
            if other.get().unwrap().off() {
                let seen = seen.clone();
                on(&inner, Shape::Exact, move || seen.push("new"));
            }
        });
        let seen = journal.clone();
        own.set(on(&bus, Shape::Sync, move || seen.push("old"))).unwrap();
        assert_eq!((way.emit(&bus), journal.take()), (1, vec![]));
        assert_eq!((way.emit(&bus), journal.take()), (2, vec!["new"]));
    }
}

#[test]
fn b04_a_turn_that_comes_after_a_wait_is_skipped_too() {
    on_each_flavour(|_| async {
        let (bus, journal, gate) = (EventBus::new(), Journal::new(), Gate::closed());
        bus.with((gate.clone(), journal.clone())).on(async |with: Arc<(Gate, Journal<&str>)>, _: Arc<Tick>| {
            with.1.push("waits");
            with.0.passed().await;
        });
        let seen = journal.clone();
        let removed = on(&bus, Shape::Sync, move || seen.push("removed"));
        let seen = journal.clone();
        on(&bus, Shape::All, move || seen.push("last"));
        let emit = tokio::spawn({
            let bus = bus.clone();
            async move { bus.emit(Tick).sequential().await.unwrap().delivered() }
        });
        while bus.listeners()[0].calls == 0 {
            tokio::task::yield_now().await;
        }
        assert!(removed.off());
        let seen = journal.clone();
        on(&bus, Shape::Exact, move || seen.push("added"));
        gate.open();
        assert_eq!(emit.await.unwrap(), 2);
        assert_eq!(journal.take(), ["waits", "last"]);
    });
}
