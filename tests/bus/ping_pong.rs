//! B8: a loop of events that goes on after each emit has returned ends as well.

use std::sync::Arc;

use oyez::{Context, EmitError, Event, EventBus, Overflow};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::flavour::on_each_flavour;
use crate::journal::Journal;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "ping_pong.ping")]
struct Ping;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "ping_pong.pong")]
struct Pong;

type With = Arc<(EventBus, Journal<(usize, &'static str)>)>;

fn with(bus: &EventBus) -> (With, Journal<(usize, &'static str)>) {
    let journal = Journal::new();
    (Arc::new((bus.clone(), journal.clone())), journal)
}

/// What an emit of the other event came to, at which depth.
fn note(with: &With, cx: &Context, outcome: Result<(), EmitError>) {
    let outcome = match outcome {
        Ok(()) => "goes on",
        Err(EmitError::TooDeep { limit: 64 }) => "too deep",
        Err(_) => "another error",
    };
    with.1.push((cx.depth(), outcome));
}

fn expected() -> Vec<(usize, &'static str)> {
    (0..64).map(|depth| (depth, "goes on")).chain([(64, "too deep")]).collect()
}

#[test]
fn b08_depth_travels_through_queues() {
    on_each_flavour(|_| async {
        for capacity in [1, 8] {
            let bus = EventBus::new();
            let (with, journal) = with(&bus);
            let ping = bus.subscribe::<Ping>().queued(capacity, Overflow::Wait);
            ping.handle_with(Arc::clone(&with), async |with: With, _: Arc<Ping>, cx: Context| {
                let emitted = with.0.emit(Pong).await;
                note(&with, &cx, emitted.map(drop));
            });
            let pong = bus.subscribe::<Pong>().queued(capacity, Overflow::Wait).concurrency(4);
            pong.handle_with(with, async |with: With, _: Arc<Pong>, cx: Context| {
                tokio::task::yield_now().await;
                let emitted = with.0.emit(Ping).await;
                note(&with, &cx, emitted.map(drop));
            });
            bus.emit(Ping).await.unwrap();
            bus.settle().await;
            let mut journal = journal.take();
            journal.sort_unstable();
            assert_eq!(journal, expected(), "capacity {capacity}");
        }
    });
}

#[test]
fn b08_depth_travels_through_posts() {
    on_each_flavour(|_| async {
        let bus = EventBus::new();
        let (with, journal) = with(&bus);
        bus.with(Arc::clone(&with)).on(async |with: With, _: Arc<Ping>, cx: Context| {
            note(&with, &cx, with.0.post(Pong));
        });
        bus.with(with).on(async |with: With, _: Arc<Pong>, cx: Context| {
            tokio::task::yield_now().await;
            note(&with, &cx, with.0.emit_detached(Ping).map(drop));
        });
        bus.post(Ping).unwrap();
        bus.settle().await;
        assert_eq!(journal.take(), expected());
    });
}

#[test]
fn b08_depth_travels_through_spawned_tasks() {
    on_each_flavour(|_| async {
        let bus = EventBus::new();
        let (with, journal) = with(&bus);
        bus.with(with).on(async |with: With, _: Arc<Ping>, cx: Context| {
            let spawned = cx.clone();
            cx.spawn(async move {
                tokio::task::yield_now().await;
                let emitted = with.0.emit(Ping).await;
                note(&with, &spawned, emitted.map(drop));
            })
            .await
            .unwrap();
        });
        bus.emit(Ping).await.unwrap();
        let mut journal = journal.take();
        journal.reverse();
        assert_eq!(journal, expected());
    });
}

#[test]
fn b08_depth_travels_through_all_of_them_in_turn() {
    on_each_flavour(|_| async {
        let bus = EventBus::new();
        let (with, journal) = with(&bus);
        let ping = bus.subscribe::<Ping>().queued(4, Overflow::DropNewest);
        ping.handle_with(Arc::clone(&with), async |with: With, _: Arc<Ping>, cx: Context| match cx.depth() % 3 {
            0 => note(&with, &cx, with.0.post(Pong)),
            1 => {
                let emitted = with.0.emit(Pong).await;
                note(&with, &cx, emitted.map(drop));
            }
            _ => {
                let emitted = with.0.emit_json("ping_pong.pong", json!(null)).await;
                note(&with, &cx, emitted.map(drop));
            }
        });
        bus.with(with).on(async |with: With, _: Arc<Pong>, cx: Context| {
            let inner = (Arc::clone(&with), cx.clone());
            cx.spawn(async move {
                let emitted = inner.0.0.emit(Ping).await;
                note(&inner.0, &inner.1, emitted.map(drop));
            })
            .await
            .unwrap();
        });
        bus.emit(Ping).await.unwrap();
        bus.settle().await;
        let mut journal = journal.take();
        journal.sort_unstable();
        assert_eq!(journal, expected());
    });
}

#[tokio::test]
async fn b08_a_post_that_is_too_deep_says_so_at_once() {
    let bus = EventBus::builder().max_depth(0).build();
    bus.with(bus.clone()).on(async |bus: Arc<EventBus>, _: Arc<Ping>| {
        assert!(matches!(bus.post(Pong), Err(EmitError::TooDeep { limit: 0 })));
        assert!(matches!(bus.emit_detached(Pong), Err(EmitError::TooDeep { limit: 0 })));
        assert!(matches!(bus.emit(Pong).detach(), Err(EmitError::TooDeep { limit: 0 })));
    });
    bus.on(async |_: Arc<Pong>| ());
    bus.emit(Ping).await.unwrap().into_result().unwrap();
    bus.post(Ping).unwrap();
    bus.settle().await;
    assert_eq!(bus.listeners()[0].failures, 0);
    assert_eq!(bus.listeners()[1].calls, 0);
}
