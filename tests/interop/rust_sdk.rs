//! The crate `cloudevents-sdk`, by the authors of the specification.

use std::time::{Duration, SystemTime};

use cloudevents::event::{Data, ExtensionValue};
use cloudevents::{AttributesReader, Event, EventBuilder, EventBuilderV10};
use oyez::transport::memory::Broker;
use serde_json::json;

use crate::ours::{self, Known, TRACE};
use crate::theirs::{Heard, Theirs, remote};
use crate::{OrderPaid, PREFIX};

#[tokio::test]
async fn t04_frames_are_cloudevents_to_the_rust_sdk() {
    let ours = ours::emitted().await;
    for (sequence, (frame, known)) in ours.frames.iter().zip(&ours.known).enumerate() {
        let event: Event = serde_json::from_slice(frame).expect("a CloudEvent");
        attributes_are_exact(&event, known, &ours.instance);
        assert_eq!(event.extension("eventversion"), Some(&ExtensionValue::Integer(1)));
        let Some(ExtensionValue::String(number)) = event.extension("sequence") else { panic!("no sequence: {event}") };
        assert!(["1", "2"].contains(&number.as_str()), "frame {sequence} has number {number}");
    }
    let [first, second] = &ours.frames[..] else { panic!("two frames") };
    let first: Event = serde_json::from_slice(first).expect("a CloudEvent");
    for name in ["correlationid", "causationid", "oyezdepth", "oyezheaders", "traceparent"] {
        assert_eq!(first.extension(name), None, "a plain event does without");
    }
    let second: Event = serde_json::from_slice(second).expect("a CloudEvent");
    let story = ExtensionValue::from(first.id());
    assert_eq!(second.extension("correlationid"), Some(&story));
    assert_eq!(second.extension("causationid"), Some(&story));
    assert_eq!(second.extension("oyezdepth"), Some(&ExtensionValue::Integer(1)));
    assert_eq!(second.extension("traceparent"), Some(&TRACE.into()));
    assert_eq!(second.extension("oyezheaders"), Some(&json!({"tenant": "acme \"&\" co"}).to_string().into()));
}

fn attributes_are_exact(event: &Event, known: &Known, instance: &str) {
    assert_eq!(event.id(), known.id.as_str());
    assert_eq!(event.ty(), "order.paid");
    assert_eq!(event.datacontenttype(), Some("application/json"));
    assert_eq!(event.time().map(|time| SystemTime::from(*time)), Some(known.time));
    let source = event.source().to_string();
    let link = source.strip_prefix(&format!("urn:oyez:{PREFIX}:{instance}:"));
    assert!(link.is_some_and(|link| !link.is_empty()), "{source}");
    let Some(Data::Json(data)) = event.data() else { panic!("no JSON: {event}") };
    assert_eq!(*data, json!({"order": known.event.order, "note": known.event.note}));
}

#[tokio::test]
async fn t09_cloudevents_of_the_rust_sdk_are_handled() {
    let broker = Broker::new();
    let mut node = Theirs::on(broker.connect(PREFIX)).await;
    let event = EventBuilderV10::new()
        .id("rs/1 \u{1F980}")
        .source("https://rust.example/orders?of=1")
        .ty("order.paid")
        .subject("order 7")
        .time("2026-01-02T03:04:05.678901Z")
        .extension("correlationid", "story-7")
        .extension("traceparent", TRACE)
        .extension("anything", 7)
        .data("application/json", json!({"order": 7, "note": "from Rust"}))
        .build()
        .expect("a CloudEvent");
    broker.publish(PREFIX, serde_json::to_vec(&event).expect("JSON"));
    let expected = Heard {
        event: OrderPaid { order: 7, note: "from Rust".into() },
        id: "rs/1 \u{1F980}".into(),
        source: remote("https://rust.example/orders?of=1"),
        time: SystemTime::UNIX_EPOCH + Duration::from_micros(1_767_323_045_678_901),
        correlation: "story-7".into(),
        traceparent: Some(TRACE.into()),
    };
    assert_eq!(node.next().await, expected);
}
