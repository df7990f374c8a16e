//! Payloads of older and newer versions that come by name (promise B19).

use oyez::{AnyEvent, Context, DecodeErrorKind, EmitError, Event, EventBus};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Seen;

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "person.named")]
struct NamedV1 {
    name: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "person.named", version = 2, upcast = [NamedV1])]
struct NamedV2 {
    first: String,
    last: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "person.named", version = 3, upcast = [NamedV2])]
struct Named {
    first: String,
    last: String,
    #[serde(default)]
    title: String,
}

impl From<NamedV1> for NamedV2 {
    fn from(old: NamedV1) -> Self {
        let (first, last) = old.name.split_once(' ').unwrap_or((&old.name, ""));
        Self { first: first.to_owned(), last: last.to_owned() }
    }
}

impl From<NamedV2> for Named {
    fn from(old: NamedV2) -> Self {
        Self { first: old.first, last: old.last, title: "from 2".to_owned() }
    }
}

/// A payload that fits every version's shape.
fn fits_all() -> Value {
    json!({ "name": "Ada Lovelace", "first": "Ada", "last": "Lovelace", "title": "Countess" })
}

/// Subscribes to the newest version and to the name, and notes what arrives.
#[expect(clippy::unwrap_used, reason = "the test fails here")]
fn subscribed() -> (EventBus, Seen<String>) {
    let (bus, seen) = (EventBus::new(), Seen::new());
    let into = seen.clone();
    bus.on_sync(move |named: &Named, cx: &Context| {
        into.add(format!("{} {} {} v{}", named.title, named.first, named.last, cx.version()));
    });
    let into = seen.clone();
    bus.subscribe_pattern("person.*").unwrap().handle_sync(move |event: &AnyEvent, _| {
        into.add(format!("any v{} {}", event.version(), event.downcast::<Named>().is_some()));
    });
    (bus, seen)
}

#[tokio::test]
async fn b19_older_payloads_reach_the_newest_type_through_the_chain() {
    let (bus, seen) = subscribed();
    bus.emit_json("person.named", json!({ "name": "Ada Lovelace" })).version(1).await.unwrap();
    assert_eq!(seen.take(), ["from 2 Ada Lovelace v1", "any v1 true"]);
    bus.emit_json("person.named", json!({ "first": "Ada", "last": "Lovelace" })).version(2).await.unwrap();
    assert_eq!(seen.take(), ["from 2 Ada Lovelace v2", "any v2 true"]);
    bus.emit_json("person.named", fits_all()).version(3).await.unwrap();
    assert_eq!(seen.take(), ["Countess Ada Lovelace v3", "any v3 true"]);
    bus.emit_json("person.named", fits_all()).await.unwrap();
    assert_eq!(seen.take(), ["Countess Ada Lovelace v3", "any v3 true"], "without a version it is the newest known");
    assert_eq!((bus.stats().unknown_versions, bus.stats().undecodable), (0, 0));
}

#[tokio::test]
async fn b19_a_newer_version_is_unknown_and_counted_and_never_half_read() {
    let (bus, seen) = subscribed();
    for (number, version) in [4, 0, u32::MAX].into_iter().enumerate() {
        let emitted = bus.emit_json("person.named", fits_all()).version(version).await.unwrap();
        assert_eq!((emitted.delivered(), emitted.failures().len()), (1, 0));
        assert_eq!(seen.take(), [format!("any v{version} false")]);
        assert_eq!((bus.stats().unknown_versions, bus.stats().undecodable), (number as u64 + 1, 0));
    }
    let calls: Vec<_> = bus.listeners().iter().map(|listener| listener.calls).collect();
    assert_eq!(calls, [0, 3]);
}

#[tokio::test]
async fn b19_an_older_payload_of_another_shape_is_an_error() {
    let (bus, seen) = subscribed();
    let error =
        bus.emit_json("person.named", json!({ "first": "Ada", "last": "Lovelace" })).version(1).await.unwrap_err();
    assert!(matches!(error, EmitError::Decode(error) if error.kind() == DecodeErrorKind::Malformed));
    assert_eq!((seen.take().len(), bus.stats().undecodable, bus.stats().unknown_versions), (0, 1, 0));
}

#[tokio::test]
async fn b19_each_version_that_is_subscribed_gets_what_it_can_read() {
    let (bus, seen) = (EventBus::new(), Seen::new());
    let [one, two, three] = [(); 3].map(|()| seen.clone());
    bus.on_sync(move |_: &NamedV1, _| one.add("1"));
    bus.on_sync(move |_: &NamedV2, _| two.add("2"));
    bus.on_sync(move |_: &Named, _| three.add("3"));
    for (version, expected, unknown) in [(1, &["1", "2", "3"][..], 0), (2, &["2", "3"], 1), (3, &["3"], 3), (4, &[], 6)]
    {
        bus.emit_json("person.named", fits_all()).version(version).await.unwrap();
        assert_eq!(seen.take(), expected, "{version}");
        assert_eq!(bus.stats().unknown_versions, unknown);
    }
    bus.emit(NamedV1 { name: "Ada".to_owned() }).await.unwrap();
    assert_eq!(seen.take(), ["1"], "a local emit goes by type");
}

#[tokio::test]
async fn b19_an_event_of_a_name_that_no_type_bears_has_version_1_or_what_is_said() {
    let (bus, seen) = (EventBus::new(), Seen::new());
    let into = seen.clone();
    bus.subscribe_pattern("*").unwrap().handle_sync(move |event: &AnyEvent, cx: &Context| {
        into.add((event.version(), cx.version()));
    });
    bus.emit_json("person.unknown", json!(1)).await.unwrap();
    bus.emit_json("person.unknown", json!(1)).version(9).await.unwrap();
    assert_eq!(seen.take(), [(1, 1), (9, 9)]);
}

#[tokio::test]
async fn b19_a_pattern_handler_may_read_an_older_payload_of_a_type_that_nobody_subscribes_to() {
    let (bus, seen) = (EventBus::new(), Seen::new());
    let into = seen.clone();
    bus.subscribe_pattern("*").unwrap().handle_sync(move |event: &AnyEvent, _| {
        into.add(event.downcast::<Named>().map(|named| named.first.clone()));
    });
    bus.emit_json("person.named", json!({ "name": "Ada Lovelace" })).version(1).await.unwrap();
    bus.emit_json("person.named", fits_all()).version(4).await.unwrap();
    bus.emit_json("person.other", fits_all()).version(3).await.unwrap();
    bus.emit(NamedV1 { name: "Ada".to_owned() }).await.unwrap();
    assert_eq!(seen.take(), [Some("Ada".to_owned()), None, None, None]);
}
