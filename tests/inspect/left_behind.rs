//! No entry is left behind, however often one was made.

use std::sync::{Arc, Weak};

use oyez::{AnyEvent, EventBus, Subscription};
use serde_json::json;

use crate::{Tick, Tock};

/// A million, scaled down so that all of these tests together take seconds in a debug build.
const TIMES: u64 = 50_000;

fn assert_empty(bus: &EventBus) {
    let stats = bus.stats();
    assert_eq!((stats.subscriptions, bus.listeners().len()), (0, 0));
    assert_eq!(
        (bus.listener_count::<Tick>(), bus.listener_count::<Tock>(), bus.listener_count_of("look.tick")),
        (0, 0, 0)
    );
    assert!(stats.remembered_names <= 1024, "{}", stats.remembered_names);
}

#[tokio::test]
async fn b13_once_leaves_nothing() {
    let bus = EventBus::new();
    for tick in 0..TIMES {
        bus.once(async |_: Arc<Tick>| {});
        assert_eq!(bus.emit(Tick(tick)).await.unwrap().delivered(), 1);
    }
    for tick in 0..TIMES {
        bus.subscribe::<Tick>().once().filter(|_| true).handle_sync(|_, _| {});
        assert_eq!(bus.emit_json("look.tick", json!(tick)).await.unwrap().delivered(), 1);
    }
    assert_empty(&bus);
}

#[tokio::test]
async fn b13_once_for_names_that_are_made_at_run_time_leaves_nothing() {
    let bus = EventBus::new();
    for number in 0..TIMES {
        let name = format!("rpc.{number}");
        bus.subscribe_pattern(&name).unwrap().once().handle(async |_: AnyEvent| {});
        assert_eq!(bus.emit_json(name, json!(null)).await.unwrap().delivered(), 1);
    }
    assert_empty(&bus);
    // Names that only a pattern wants are remembered, and not without end.
    let all = bus.on_pattern("rpc.*", async |_: AnyEvent| {}).unwrap();
    for number in 0..TIMES / 10 {
        bus.emit_json(format!("rpc.{number}"), json!(null)).await.unwrap();
    }
    assert_eq!((bus.stats().subscriptions, bus.listeners()[0].calls), (1, TIMES / 10));
    assert!((1..=1024).contains(&bus.stats().remembered_names));
    assert!(all.off());
    assert_empty(&bus);
    assert_eq!(bus.stats().remembered_names, 0, "what a pattern wanted is forgotten with it");
}

#[tokio::test]
async fn b13_guards_and_off_leave_nothing() {
    let bus = EventBus::new();
    let mut last: Option<Subscription> = None;
    for number in 0..TIMES {
        let guard = bus.on(async |_: Arc<Tick>| {}).guard();
        let subscription = bus.on_sync(|_: &Tock, _| {});
        if number % 1_000 == 0 {
            assert_eq!(bus.emit(Tick(number)).await.unwrap().delivered(), 1);
        }
        assert!(last.is_none_or(|last| last.id() < guard.subscription().id()), "an id is never used again");
        drop(guard);
        assert!(subscription.off());
        last = Some(subscription);
    }
    for _ in 0..TIMES {
        drop(bus.on_pattern("look.*", async |_: AnyEvent| {}).unwrap().guard());
    }
    assert_empty(&bus);
}

#[tokio::test]
async fn b13_streams_and_waits_leave_nothing() {
    let bus = EventBus::new();
    for number in 0..TIMES {
        let stream = bus.stream::<Tick>(4);
        drop(bus.wait_for::<Tick>(|_| false));
        if number % 2 == 0 {
            let wait = bus.wait_for::<Tick>(|_| true);
            assert_eq!(bus.emit(Tick(number)).await.unwrap().delivered(), 2);
            assert_eq!(wait.await.unwrap().0, number);
        }
        drop(stream);
    }
    assert_empty(&bus);
}

#[tokio::test]
async fn b13_what_a_removed_handler_holds_is_freed() {
    let bus = EventBus::new();
    let mut held: Vec<Weak<()>> = Vec::new();
    let mut hold = || {
        let holds = Arc::new(());
        held.push(Arc::downgrade(&holds));
        holds
    };
    let (a, b, c, d, e) = (hold(), hold(), hold(), hold(), hold());
    bus.once(move |_: Arc<Tick>| {
        let a = Arc::clone(&a);
        async move { drop(a) }
    });
    let subscription = bus.subscribe::<Tick>().filter(move |_| Arc::strong_count(&b) > 0).handle_sync(move |_, _| {
        assert!(Arc::strong_count(&c) > 0);
    });
    let pattern = bus.subscribe_pattern("look.*").unwrap().handle_sync(move |_, _| assert!(Arc::strong_count(&d) > 0));
    drop(bus.with(e).on(async |_: Arc<()>, _: Arc<Tick>| {}).guard());
    bus.emit(Tick(1)).await.unwrap();
    bus.emit_json("look.tick", json!(2)).await.unwrap();
    assert_eq!(bus.remove_all(), 2);
    assert!(!subscription.is_on() && !pattern.is_on());
    let alive: Vec<_> = held.iter().map(|weak| weak.strong_count()).collect();
    assert_eq!(alive, [0; 5], "a handle to a subscription does not keep its handler");
}
