//! B3: the log tells which handler failed and why, and never what the event held.

use std::sync::Arc;
use std::time::Duration;

use oyez::{AnyEvent, Event, EventBus, Overflow};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::faults::Fault;
use crate::flavour::Flavour;
use crate::log_lines::{LINES, capture, take_lines};

const SECRET: &str = "4111-S3NTINEL";

#[derive(Debug, Clone, Serialize, Deserialize, Event)]
#[event(name = "secrets.paid")]
struct Paid {
    card: String,
}

fn paid() -> Paid {
    Paid { card: SECRET.to_owned() }
}

#[test]
fn b03_a_payload_is_never_logged() {
    capture();
    let runtime = Flavour::MultiThread.runtime();
    runtime.block_on(async {
        for fault in Fault::ALL {
            let bus = EventBus::new();
            let limit = Duration::from_millis(1);
            bus.subscribe::<Paid>().timeout(limit).handle(move |_: Arc<Paid>| fault.begin());
            let pattern = bus.subscribe_pattern("secrets.*").unwrap().timeout(limit);
            pattern.handle(move |_: AnyEvent| fault.begin());
            let queued = bus.subscribe::<Paid>().queued(1, Overflow::DropNewest).timeout(limit);
            queued.handle(move |_: Arc<Paid>| fault.begin());
            std::mem::forget(bus.emit(paid()).await.unwrap());
            std::mem::forget(bus.emit(paid()).await.unwrap());
            std::mem::forget(bus.emit_detached(paid()).unwrap().await.unwrap());
            std::mem::forget(bus.emit_json("secrets.paid", json!({ "card": SECRET })).await.unwrap());
            bus.emit_json("secrets.paid", json!({ "Card": SECRET })).await.unwrap_err();
        }
    });
    let lines = LINES.lock().unwrap().clone();
    assert!(lines.iter().filter(|line| line.field("event") == Paid::NAME).count() > 3 * Fault::ALL.len());
    let telling: Vec<_> = lines.iter().filter(|line| format!("{line:?}").contains("S3NTINEL")).collect();
    assert!(telling.is_empty(), "{telling:?}");
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "secrets.outer")]
struct Outer;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "secrets.inner")]
struct Inner;

#[tokio::test]
async fn b03_a_failure_inside_of_another_emit_is_logged_where_it_happened() {
    capture();
    let bus = EventBus::new();
    bus.on(|_: Arc<Inner>| Fault::Error.begin());
    bus.with(bus.clone()).on(async |bus: Arc<EventBus>, _: Arc<Outer>| {
        assert_eq!(bus.emit(Inner).await.unwrap().failures().len(), 1);
    });
    assert!(bus.emit(Outer).await.unwrap().failures().is_empty());
    assert_eq!((take_lines(Inner::NAME).len(), take_lines(Outer::NAME).len()), (1, 0));
    // A handler that hands the failure on fails too, with a line of its own.
    bus.with(bus.clone()).on(async |bus: Arc<EventBus>, _: Arc<Outer>| {
        bus.emit(Inner).await?.into_result()?;
        Ok::<_, oyez::BoxError>(())
    });
    let failed = bus.emit(Outer).await.unwrap();
    assert_eq!(failed.failures().len(), 1);
    let (inner, outer) = (take_lines(Inner::NAME), take_lines(Outer::NAME));
    assert_eq!((inner.len(), outer.len()), (2, 1));
    assert!(outer[0].field("error").ends_with("the handler returned an error: db down"), "{outer:?}");
    // Looking at it, or making an error of it, logs nothing.
    failed.into_result().unwrap_err();
    assert!(take_lines(Outer::NAME).is_empty());
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "secrets.detached")]
struct DetachedEvent;

#[tokio::test]
async fn b03_a_detached_failure_is_logged_and_returned() {
    capture();
    let bus = EventBus::new();
    bus.on(|_: Arc<DetachedEvent>| Fault::PanicAfterTheFirstAwait.begin());
    let outcome = bus.emit_detached(DetachedEvent).unwrap().await.unwrap();
    assert_eq!((outcome.failures().len(), take_lines(DetachedEvent::NAME).len()), (1, 1));
    drop(bus.emit_detached(DetachedEvent).unwrap());
    bus.post(DetachedEvent).unwrap();
    bus.settle().await;
    assert_eq!(take_lines(DetachedEvent::NAME).len(), 2);
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "secrets.fine")]
struct Fine;

#[tokio::test]
async fn b03_success_is_not_logged() {
    capture();
    let bus = EventBus::new();
    bus.on(async |_: Arc<Fine>| ());
    bus.once(async |_: Arc<Fine>| Ok::<_, oyez::BoxError>(()));
    for _ in 0..3 {
        bus.emit(Fine).await.unwrap();
    }
    assert!(take_lines(Fine::NAME).is_empty());
}
