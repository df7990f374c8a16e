//! B8: handlers subscribe, remove and emit, on every flavour of runtime and on none.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use oyez::layer::from_fn;
use oyez::{AnyEvent, Context, Dispatch, EmitError, Event, EventBus};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::flavour::on_each_flavour;
use crate::journal::Journal;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "reentrancy.outer")]
struct Outer;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "reentrancy.inner")]
struct Inner;

/// A handler subscribes, emits and removes; all of it works at once.
fn subscribe(bus: &EventBus) {
    bus.with(bus.clone()).on(async |bus: Arc<EventBus>, _: Arc<Outer>| {
        let journal = Journal::new();
        let (seen, all) = (journal.clone(), journal.clone());
        let exact = bus.on_sync(move |_: &Inner, _| seen.push("exact"));
        let pattern = bus.subscribe_pattern("reentrancy.i*").map(|_| ());
        assert!(pattern.is_err());
        let pattern = bus.subscribe_pattern("*").unwrap().handle_sync(move |_, _| all.push("pattern"));
        assert_eq!(bus.emit(Inner).await.unwrap().delivered(), 2);
        assert_eq!(bus.emit_json("reentrancy.inner", json!(null)).await.unwrap().delivered(), 2);
        assert_eq!(journal.take(), ["exact", "pattern", "exact", "pattern"]);
        assert!(exact.off() && pattern.off());
        assert_eq!(bus.emit(Inner).await.unwrap().delivered(), 0);
    });
}

#[test]
fn b08_handlers_subscribe_emit_and_remove() {
    on_each_flavour(|_| async {
        let bus = EventBus::new();
        subscribe(&bus);
        for mode in [Dispatch::Concurrent, Dispatch::Sequential].repeat(10) {
            let emitted = bus.emit(Outer).dispatch(mode).await.unwrap();
            emitted.into_result().unwrap();
        }
        let all: Vec<_> = (0..20).map(|_| bus.emit_detached(Outer).unwrap()).collect();
        for detached in all {
            detached.await.unwrap().into_result().unwrap();
        }
    });
}

#[test]
fn b08_no_runtime_and_a_local_set_will_do() {
    let bus = EventBus::new();
    subscribe(&bus);
    bus.emit(Outer).now_or_never().unwrap().unwrap().into_result().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let local = tokio::task::LocalSet::new();
    let emitted =
        local.block_on(&runtime, async { tokio::task::spawn_local(async move { bus.emit(Outer).await }).await });
    emitted.unwrap().unwrap().into_result().unwrap();
}

#[test]
fn b08_nested_emits_run_depth_first() {
    on_each_flavour(|_| async {
        for mode in [Dispatch::Concurrent, Dispatch::Sequential] {
            let (bus, journal) = (EventBus::builder().dispatch(mode).build(), Journal::new());
            for (before, after) in [("outer 1", "outer 1 ends"), ("outer 2", "outer 2 ends")] {
                let with = bus.with((bus.clone(), journal.clone(), before, after));
                with.on(async |with: Arc<(EventBus, Journal<_>, _, _)>, _: Arc<Outer>| {
                    with.1.push(with.2);
                    assert_eq!(with.0.emit(Inner).await.unwrap().delivered(), 2);
                    with.1.push(with.3);
                });
            }
            for name in ["inner 1", "inner 2"] {
                let with = bus.with((journal.clone(), name));
                with.on(async |with: Arc<(Journal<_>, _)>, _: Arc<Inner>| with.0.push(with.1));
            }
            bus.emit(Outer).await.unwrap();
            let first = ["outer 1", "inner 1", "inner 2", "outer 1 ends"];
            let second = ["outer 2", "inner 1", "inner 2", "outer 2 ends"];
            assert_eq!(journal.take(), [first, second].concat());
        }
    });
}

/// The ways in which a handler may emit its own event again.
const WAYS: [&str; 8] = ["exact", "waits", "sync", "pattern", "timeout", "layer", "untyped", "sequential"];

/// Subscribes a handler that writes its depth and emits its own event again.
fn subscribe_recursion(bus: &EventBus, way: &str, journal: &Journal<(usize, Result<usize, EmitError>)>) {
    let with = Arc::new((bus.clone(), journal.clone()));
    type With = Arc<(EventBus, Journal<(usize, Result<usize, EmitError>)>)>;
    let again = async |with: With, _: Arc<Outer>, cx: Context| {
        let emitted = with.0.emit(Outer).await.map(|emitted| emitted.delivered());
        with.1.push((cx.depth(), emitted));
    };
    match way {
        "waits" => {
            _ = bus.with(with).on(async |with: With, _: Arc<Outer>, cx: Context| {
                tokio::task::yield_now().await;
                let emitted = with.0.emit(Outer).await.map(|emitted| emitted.delivered());
                tokio::task::yield_now().await;
                with.1.push((cx.depth(), emitted));
            })
        }
        "sync" => {
            _ = bus.on_sync(move |_: &Outer, cx| {
                let emitted = with.0.emit(Outer).now_or_never().unwrap().map(|emitted| emitted.delivered());
                with.1.push((cx.depth(), emitted));
            })
        }
        "pattern" => {
            _ = bus
                .with(with)
                .on_pattern("*", async |with: With, _: AnyEvent, cx: Context| {
                    let emitted = with.0.emit(Outer).await.map(|emitted| emitted.delivered());
                    with.1.push((cx.depth(), emitted));
                })
                .unwrap()
        }
        "timeout" => _ = bus.subscribe::<Outer>().timeout(Duration::from_secs(600)).handle_with(with, again),
        "layer" => {
            bus.layer(from_fn(async |call, next| next.run(call).await));
            bus.subscribe::<Outer>().layer(from_fn(|call, next| next.run(call))).handle_with(with, again);
        }
        "untyped" => {
            _ = bus
                .with(with)
                .on_pattern("reentrancy.*", async |with: With, _: AnyEvent, cx: Context| {
                    let emit = with.0.emit_json("reentrancy.untyped", json!(1));
                    with.1.push((cx.depth(), emit.await.map(|emitted| emitted.delivered())));
                })
                .unwrap()
        }
        "sequential" => {
            _ = bus.with(with).on(async |with: With, _: Arc<Outer>, cx: Context| {
                let emitted = with.0.emit(Outer).sequential().await.map(|emitted| emitted.delivered());
                with.1.push((cx.depth(), emitted));
            })
        }
        _ => _ = bus.with(with).on(again),
    }
}

/// The deepest handler is inside of `limit` emits besides its own; the emit it makes is one too many.
async fn assert_ends_at(bus: EventBus, limit: usize, way: &str) {
    let journal = Journal::new();
    subscribe_recursion(&bus, way, &journal);
    for _ in 0..2 {
        let emitted = match way {
            "untyped" => bus.emit_json("reentrancy.untyped", json!(1)).await,
            _ => bus.emit(Outer).await,
        };
        assert_eq!(emitted.unwrap().into_result().unwrap().delivered(), 1, "{way}");
        let mut journal = journal.take().into_iter();
        let (depth, refused) = journal.next().unwrap();
        assert_eq!(depth, limit, "{way}");
        assert!(matches!(refused, Err(EmitError::TooDeep { limit: told }) if told == limit), "{way}: {refused:?}");
        let rest: Vec<_> = journal.map(|(depth, emitted)| (depth, emitted.unwrap())).collect();
        assert_eq!(rest, (0..limit).rev().map(|depth| (depth, 1)).collect::<Vec<_>>(), "{way}");
    }
}

#[test]
fn b08_an_emit_inside_of_64_others_works_and_inside_of_65_is_too_deep() {
    on_each_flavour(|_| async {
        for way in WAYS {
            assert_ends_at(EventBus::new(), 64, way).await;
        }
    });
}

#[test]
fn b08_the_limit_can_be_set() {
    on_each_flavour(|_| async {
        for (limit, way) in [(0, "exact"), (1, "sync"), (2, "pattern"), (7, "waits"), (100, "exact")] {
            assert_ends_at(EventBus::builder().max_depth(limit).build(), limit, way).await;
        }
    });
}

#[tokio::test]
async fn b08_depth_is_how_far_inside_and_not_how_many() {
    let bus = EventBus::new();
    bus.on_sync(|_: &Inner, cx| assert_eq!(cx.depth(), 1));
    bus.with(bus.clone()).on(async |bus: Arc<EventBus>, _: Arc<Outer>, cx: Context| {
        assert_eq!(cx.depth(), 0);
        for _ in 0..1000 {
            bus.emit(Inner).await.unwrap().into_result().unwrap();
        }
    });
    for _ in 0..3 {
        bus.emit(Outer).await.unwrap().into_result().unwrap();
    }
}

#[tokio::test]
async fn b08_a_loop_over_two_buses_ends_too() {
    let (here, there) = (EventBus::new(), EventBus::new());
    let refused = Journal::new();
    let bounce = async |with: Arc<(EventBus, Journal<usize>)>, _: Arc<Outer>, cx: Context| {
        if with.0.emit(Outer).await.is_err() {
            with.1.push(cx.depth());
        }
    };
    here.with((there.clone(), refused.clone())).on(bounce);
    there.with((here.clone(), refused.clone())).on(bounce);
    here.emit(Outer).await.unwrap();
    assert_eq!(refused.take(), [64]);
    assert_eq!((here.listeners()[0].calls, there.listeners()[0].calls), (33, 32));
}
