//! What an emit costs in allocations, counted one by one on the emitting thread: the lines under "Cost" in the design.

#![expect(clippy::unwrap_used, reason = "what is missing fails the test, also in a helper of tests")]

use std::cell::Cell;
use std::sync::Arc;

use allocation_counter::measure;
use futures_util::FutureExt;
use oyez::{AnyEvent, Context, Event, EventBus};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Large, so that a copy on the heap would be noticed.
#[derive(Debug, Default, Serialize, Deserialize, Event)]
#[event(name = "cost.tick")]
struct Tick {
    numbers: [u64; 16],
}

#[derive(Debug, Event)]
#[event(name = "cost.outer", local)]
struct Outer;

/// The allocations of one emit that reaches `handlers`.
#[track_caller]
fn cost(bus: &EventBus, handlers: usize) -> u64 {
    let mut delivered = 0;
    let counted = measure(|| {
        let emitted = bus.emit(Tick::default()).now_or_never().unwrap().unwrap();
        assert!(emitted.failures().is_empty());
        delivered = emitted.delivered();
    });
    assert_eq!(delivered, handlers);
    counted.count_total
}

/// The allocations of the first emits after subscribing: nothing is at hand yet, or it is.
fn costs(bus: &EventBus, handlers: usize) -> (u64, [u64; 5]) {
    (cost(bus, handlers), std::array::from_fn(|_| cost(bus, handlers)))
}

fn add_patterns_that_do_not_match(bus: &EventBus) {
    for number in 0..1000 {
        bus.on_pattern(format!("other.{number}.*"), async |_: AnyEvent| ()).unwrap();
        bus.on_pattern(format!("cost.*.{number}"), async |_: AnyEvent| ()).unwrap();
        bus.on_pattern(format!("cost.{number}"), async |_: AnyEvent| ()).unwrap();
    }
}

/// A new bus, and one with many patterns that are for other names.
fn buses() -> [EventBus; 2] {
    let patterns = EventBus::new();
    add_patterns_that_do_not_match(&patterns);
    // The first time that the type meets the patterns.
    assert_eq!(patterns.emit(Tick::default()).now_or_never().unwrap().unwrap().delivered(), 0);
    [EventBus::new(), patterns]
}

#[test]
fn cost_no_subscriber_no_allocation() {
    for bus in buses() {
        assert_eq!(costs(&bus, 0), (0, [0; 5]));
        let all = [
            bus.on(async |_: Arc<Tick>| ()),
            bus.on_sync(|_: &Tick, _| ()),
            bus.once(async |_: Arc<Tick>| ()),
            bus.on_pattern("*", async |_: AnyEvent| ()).unwrap(),
        ];
        assert!(cost(&bus, 4) > 0);
        assert_eq!(all.map(|subscription| subscription.off()), [true, true, false, true]);
        assert_eq!(costs(&bus, 0), (0, [0; 5]));
    }
}

#[test]
fn cost_no_subscriber_no_allocation_inside_of_a_handler() {
    for bus in buses() {
        let inner = bus.clone();
        bus.on_sync(move |_: &Outer, _| assert_eq!(costs(&inner, 0), (0, [0; 5])));
        let inner = bus.clone();
        bus.on(move |_: Arc<Outer>| {
            let inner = inner.clone();
            async move { assert_eq!(costs(&inner, 0), (0, [0; 5])) }
        });
        bus.emit(Outer).now_or_never().unwrap().unwrap().into_result().unwrap();
    }
}

/// The first emit of a thread makes the memory of a context; later ones use it again.
fn warm_up() {
    let bus = EventBus::new();
    bus.on_sync(|_: &Outer, _| ());
    bus.emit(Outer).now_or_never().unwrap().unwrap();
}

#[test]
fn cost_sync_handlers_at_most_one_allocation() {
    for number in [1, 4, 10, 16] {
        for bus in buses() {
            (0..number).for_each(|_| _ = bus.on_sync(|_: &Tick, _| ()));
            assert_eq!(cost_on_a_new_thread(&bus, number), 1);
            warm_up();
            assert_eq!(costs(&bus, number), (0, [0; 5]));
        }
    }
}

/// The cost of the first emit of a thread.
fn cost_on_a_new_thread(bus: &EventBus, handlers: usize) -> u64 {
    let first = || {
        // Thread-locals of the standard library and of `arc-swap` allocate once for each thread that looks at a bus.
        drop((EventBus::global(), bus.listeners()));
        cost(bus, handlers)
    };
    std::thread::scope(|scope| scope.spawn(first).join().unwrap())
}

#[test]
fn cost_sync_handlers_of_patterns_at_most_one_allocation() {
    warm_up();
    for number in [1, 4, 10, 16] {
        for bus in buses() {
            for place in 0..number {
                bus.subscribe_pattern(["*", "cost.*", "cost.tick"][place % 3]).unwrap().handle_sync(|_, _| ());
            }
            let (_, later) = costs(&bus, number);
            assert_eq!(later, [1; 5]);
        }
    }
}

/// Handlers that are ready at once, of the shapes there are.
fn add_ready_handlers(bus: &EventBus, number: usize, pattern: bool) {
    for place in 0..number {
        match (pattern, place % 3) {
            (false, 0) => bus.on(async |_: Arc<Tick>| ()),
            (false, 1) => bus.on(async |_: Arc<Tick>, _: Context| ()),
            (false, _) => bus.with(place).on(async |_: Arc<usize>, _: Arc<Tick>| ()),
            (true, 0) => bus.on_pattern("cost.*", async |_: AnyEvent| ()).unwrap(),
            (true, 1) => bus.on_pattern("*", async |_: AnyEvent, _: Context| ()).unwrap(),
            (true, _) => bus.with(place).on_pattern("cost.**", async |_: Arc<usize>, _: AnyEvent| ()).unwrap(),
        };
    }
}

#[test]
fn cost_ready_async_handlers_one_allocation() {
    warm_up();
    for number in [1, 4, 10, 16] {
        for pattern in [false, true] {
            for bus in buses() {
                add_ready_handlers(&bus, number, pattern);
                let (_, later) = costs(&bus, number);
                assert_eq!(later, [1; 5], "the event's `Arc`, and nothing for {number} handlers");
            }
        }
    }
}

#[test]
fn cost_of_the_first_emit_after_subscribing() {
    warm_up();
    for number in [1, 4, 10, 16] {
        for pattern in [false, true] {
            let [bus, _] = buses();
            bus.on_sync(|_: &Tick, _| ()).off();
            add_ready_handlers(&bus, number, pattern);
            let (first, _) = costs(&bus, number);
            assert!(first <= number as u64 + 2, "{first} allocations for {number} handlers, patterns: {pattern}");
        }
    }
}

#[test]
fn cost_of_an_emit_inside_of_one_of_its_own_event() {
    thread_local! {
        static INNER: Cell<Option<u64>> = const { Cell::new(None) };
    }
    warm_up();
    for number in [1, 4, 10, 16] {
        let bus = EventBus::new();
        add_ready_handlers(&bus, number - 1, false);
        let inner = bus.clone();
        bus.on(move |_: Arc<Tick>, cx: Context| {
            if cx.depth() == 0 {
                INNER.set(Some(cost(&inner, number)));
            }
            std::future::ready(())
        });
        for _ in 0..3 {
            bus.emit(Tick::default()).now_or_never().unwrap().unwrap().into_result().unwrap();
        }
        let inner = INNER.take().unwrap();
        assert!(inner <= number as u64 + 2, "{inner} allocations for {number} handlers");
    }
}

/// An id is made when a handler asks for it, and once for all of them.
#[test]
fn b10_nothing_is_computed_that_no_handler_asks_for() {
    warm_up();
    let bus = EventBus::new();
    let asked = |ask: fn(&Context)| {
        (0..4).for_each(|_| _ = bus.on_sync(move |_: &Tick, cx| ask(cx)));
        let (_, later) = costs(&bus, 4);
        assert_eq!(bus.remove_all(), 4);
        later
    };
    assert_eq!(asked(|_| ()), [0; 5]);
    assert_eq!(asked(|cx| assert_eq!((cx.name(), cx.depth(), cx.version()), ("cost.tick", 0, 1))), [0; 5]);
    assert_eq!(asked(|cx| assert!(cx.causation_id().is_none() && cx.headers().is_empty())), [0; 5]);
    assert_eq!(asked(|cx| assert!(cx.time().elapsed().is_ok())), [0; 5]);
    assert_eq!(asked(|cx| assert_eq!(cx.id().as_str().len(), 36)), [1; 5]);
    assert_eq!(asked(|cx| assert_eq!(cx.correlation_id(), cx.id())), [1; 5]);
}

/// Patterns are resolved when a name is first seen: later, a thousand more of them cost nothing.
#[test]
fn b09_a_remembered_name_meets_no_pattern_again() {
    let untyped = |bus: &EventBus| {
        let emit = || drop(bus.emit_json("cost.untyped", json!(1)).now_or_never().unwrap().unwrap());
        emit();
        measure(emit).count_total
    };
    let [few, many] = buses().map(|bus| {
        bus.on_pattern("cost.*", async |_: AnyEvent| ()).unwrap();
        untyped(&bus)
    });
    assert_eq!(few, many);
}
