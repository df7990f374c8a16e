//! T4: what arrives is what was emitted.

use std::collections::BTreeMap;
use std::time::Duration;

use oyez_bus::testing::{Recorded, Recorder};
use oyez_bus::{EventId, Source};
use serde_json::json;

use crate::backend::Backend;
use crate::events::Rich;
use crate::node::{Node, recorded_tick};

/// A typed event with everything that one can have.
pub async fn t04_names_ids_headers_and_payloads_arrive_exactly<B: Backend>() {
    let server = B::start().await;
    let (here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    let (sent, received) = (Recorder::new(&here.bus), Recorder::new(&there.bus));
    // Somebody wants the type: it arrives decoded.
    there.bus.on_sync(|_: &Rich, _: &_| {});
    let event = rich();
    let emit = here.bus.emit(event.clone()).id(id("order 7/ü")).correlation_id(id("story")).causation_id(id("cause"));
    let emit = emit
        .header("tenant", "a \"b\"\r\n\u{0}é")
        .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01");
    emit.await.expect("the bus takes events");
    here.bus.emit(event).await.expect("the bus takes events");
    here.tick(1).await;
    there.ticks_until(1).await;
    recorded_tick(&received).await;
    let (sent, received) = (sent.all(), received.all());
    assert_eq!(received.len(), 3);
    for (sent, received) in sent.iter().zip(&received) {
        assert_same(sent, received, here.bus.instance());
    }
    for received in &received[..2] {
        assert_eq!(*received.event.downcast::<Rich>().expect("it is decoded"), rich());
    }
    assert_eq!(received[0].context.id().as_str(), "order 7/ü");
    assert_eq!(received[0].context.headers()["tenant"], "a \"b\"\r\n\u{0}é");
}

/// Events that no type stands for, also such as have no payload.
pub async fn t04_events_without_a_type_arrive_exactly<B: Backend>() {
    let server = B::start().await;
    let (here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    let (sent, received) = (Recorder::new(&here.bus), Recorder::new(&there.bus));
    let payloads = [
        json!(null),
        json!(true),
        json!(-0.1e-30),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("\u{0}\u{7f}\u{2028}\u{1f600}\"\\/"),
        json!([[], {}, [null]]),
        json!({"": 1, "a.b": {"data": "}"}}),
    ];
    for (number, payload) in payloads.iter().enumerate() {
        here.bus.emit_json(format!("untyped.n{number}"), payload).await.expect("the bus takes events");
    }
    here.tick(1).await;
    there.ticks_until(1).await;
    recorded_tick(&received).await;
    let (sent, received) = (sent.all(), received.all());
    assert_eq!(received.len(), payloads.len() + 1);
    for (sent, received) in sent.iter().zip(&received) {
        assert_same(sent, received, here.bus.instance());
    }
}

fn assert_same(sent: &Recorded, received: &Recorded, origin: &str) {
    assert_eq!(received.event.name(), sent.event.name());
    assert_eq!(received.event.version(), sent.event.version());
    assert_eq!(received.event.json().map(|json| json.to_string()), sent.event.json().map(|json| json.to_string()));
    let (sent, received) = (&sent.context, &received.context);
    assert_eq!(received.source(), Source::Remote { origin: origin.into() });
    assert_eq!(received.id(), sent.id());
    assert_eq!(received.correlation_id(), sent.correlation_id());
    assert_eq!(received.causation_id(), sent.causation_id());
    assert_eq!(received.headers(), sent.headers());
    assert_eq!(received.depth(), sent.depth());
    let apart = received.time().duration_since(sent.time()).unwrap_or_else(|error| error.duration());
    assert!(apart <= Duration::from_millis(1), "the times are {apart:?} apart");
}

fn id(text: &str) -> EventId {
    text.parse().expect("a legal id")
}

fn rich() -> Rich {
    let inner = Rich {
        text: "a \"quoted\" line\r\n\u{0}\u{1f600}é".into(),
        number: 0.1 + 0.2,
        large: u64::MAX,
        small: i64::MIN,
        nothing: None,
        list: Vec::new(),
        map: BTreeMap::from([(String::new(), true), ("data".into(), false)]),
    };
    Rich { list: vec![inner.clone(), inner.clone()], ..inner }
}
