//! Events that are known by name: `emit_json`, patterns and [`AnyEvent`] (promise B12).

mod versions;

use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use oyez::layer::from_fn;
use oyez::{AnyEvent, Context, DecodeErrorKind, EmitError, Event, EventBus, HandlerErrorKind, NameError, Overflow};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "user.created")]
struct User {
    id: u64,
}

#[derive(Debug, PartialEq, Event)]
#[event(name = "user.secret", local)]
struct Secret(u64);

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "value.changed")]
struct Changed<T>(T);

/// What handlers saw, in order.
struct Seen<T>(Arc<Mutex<Vec<T>>>);

impl<T> Seen<T> {
    fn new() -> Self {
        Self(Arc::default())
    }

    fn add(&self, what: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }

    fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> Clone for Seen<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

fn see_typed<E: Event + Debug>(bus: &EventBus, seen: &Seen<String>) {
    let seen = seen.clone();
    bus.on_sync(move |event: &E, _| seen.add(format!("{event:?}")));
}

#[expect(clippy::unwrap_used, reason = "the test fails here")]
fn see_pattern(bus: &EventBus, pattern: &str, seen: &Seen<(String, Option<Value>)>) {
    let seen = seen.clone();
    let subscribe = bus.subscribe_pattern(pattern).unwrap();
    subscribe.handle_sync(move |event, _| seen.add((event.name().to_owned(), event.json())));
}

#[tokio::test]
async fn b12_typed_handlers_get_the_decoded_event() {
    let (bus, typed, any) = (EventBus::new(), Seen::new(), Seen::new());
    see_typed::<User>(&bus, &typed);
    see_pattern(&bus, "user.*", &any);
    let emitted = bus.emit_json("user.created", json!({ "id": 7, "more": true })).await.unwrap();
    assert_eq!((emitted.delivered(), emitted.failures().len()), (2, 0));
    assert_eq!(typed.take(), ["User { id: 7 }"]);
    assert_eq!(any.take(), [("user.created".to_owned(), Some(json!({ "id": 7, "more": true })))], "nothing is lost");
}

#[tokio::test]
async fn b12_an_unknown_name_reaches_patterns_and_the_star() {
    let (bus, any) = (EventBus::new(), Seen::new());
    for pattern in ["billing:eu.*", "*", "billing:eu.événement", "**", "other.*"] {
        see_pattern(&bus, pattern, &any);
    }
    let payload = json!({ "a": [1, 2.5, null, "é"], "big": u64::MAX });
    assert_eq!(bus.emit_json("billing:eu.événement", payload.clone()).await.unwrap().delivered(), 4);
    assert_eq!(any.take(), vec![("billing:eu.événement".to_owned(), Some(payload)); 4]);
    assert_eq!(EventBus::new().emit_json("nobody.listens", json!(1)).await.unwrap().delivered(), 0);
}

#[tokio::test]
async fn b12_a_payload_is_anything_that_serde_writes() {
    let (bus, typed, any) = (EventBus::new(), Seen::new(), Seen::new());
    see_typed::<User>(&bus, &typed);
    let into = any.clone();
    let texts = bus.subscribe_pattern("*").unwrap();
    texts.handle_sync(move |event, _| into.add(event.encode().unwrap().unwrap().get().to_owned()));

    bus.emit_json("user.created", User { id: 7 }).await.unwrap();
    let text = r#"{ "id": 8, "exact": 1.50e2 }"#.to_owned();
    bus.emit_json("user.created", RawValue::from_string(text.clone()).unwrap()).await.unwrap();
    assert_eq!(typed.take(), ["User { id: 7 }", "User { id: 8 }"]);
    assert_eq!(any.take(), [r#"{"id":7}"#.to_owned(), text], "text is carried as it is");

    let keys_are_no_text = std::collections::BTreeMap::from([((1, 2), 3)]);
    assert!(matches!(bus.emit_json("user.created", &keys_are_no_text).await, Err(EmitError::Encode(_))));
    assert!(matches!(bus.emit_json("nobody.listens", &keys_are_no_text).await, Err(EmitError::Encode(_))));
    assert_eq!((typed.take().len(), any.take().len()), (0, 0));
}

#[tokio::test]
async fn b12_a_payload_that_does_not_decode_is_an_error_and_counted_and_no_handler_runs() {
    let (bus, typed, any) = (EventBus::new(), Seen::new(), Seen::new());
    see_pattern(&bus, "*", &any);
    see_typed::<User>(&bus, &typed);
    for (number, payload) in
        [json!({}), json!({ "id": -1 }), json!("id"), json!(null), json!([])].into_iter().enumerate()
    {
        let error = bus.emit_json("user.created", payload).await.unwrap_err();
        assert!(matches!(&error, EmitError::Decode(error) if error.kind() == DecodeErrorKind::Malformed), "{error:?}");
        assert_eq!(bus.stats().undecodable, number as u64 + 1);
    }
    let later = bus.emit_json("user.created", json!("id")).detach().unwrap().await;
    assert!(matches!(later, Err(EmitError::Decode(_))));
    assert_eq!((typed.take().len(), any.take().len()), (0, 0));
    assert!(bus.listeners().iter().all(|listener| (listener.calls, listener.failures) == (0, 0)));
    // What is subscribed no more cannot refuse.
    bus.remove_all_of::<User>();
    assert_eq!(bus.emit_json("user.created", json!("id")).await.unwrap().delivered(), 1);
    assert_eq!(bus.stats().undecodable, 6);
}

#[tokio::test]
async fn b12_a_deserialize_that_panics_is_an_error_to_the_caller() {
    #[derive(Debug, Serialize, Event)]
    #[event(name = "user.panics")]
    struct Panics;

    impl<'de> Deserialize<'de> for Panics {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let number = u64::deserialize(deserializer)?;
            assert_ne!(number, 1, "this number is not liked");
            Ok(Self)
        }
    }

    let (bus, typed) = (EventBus::new(), Seen::new());
    see_typed::<Panics>(&bus, &typed);
    let error = bus.emit_json("user.panics", json!(1)).await.unwrap_err();
    assert!(matches!(&error, EmitError::Decode(error) if error.kind() == DecodeErrorKind::Panicked), "{error:?}");
    assert_eq!((bus.stats().undecodable, typed.take().len()), (1, 0));
    assert_eq!(bus.emit_json("user.panics", json!(2)).await.unwrap().delivered(), 1);
}

#[tokio::test]
async fn b12_an_illegal_name_is_an_error_and_nothing_runs() {
    let (bus, any) = (EventBus::new(), Seen::new());
    see_pattern(&bus, "*", &any);
    for name in ["", "a..b", ".x", "x.", "a b", "a.*", "a.>", "*", "a\u{0}", &"x".repeat(256)] {
        assert!(matches!(bus.emit_json(name, json!(1)).await, Err(EmitError::Name(_))), "{name:?}");
        assert!(matches!(bus.emit_json(name, json!(1)).detach(), Err(EmitError::Name(_))), "{name:?}");
    }
    let error = bus.emit_json("a..b", json!(1)).await.unwrap_err();
    assert!(matches!(error, EmitError::Name(why) if *why == NameError::EmptySegment));
    assert_eq!(any.take(), []);
}

#[tokio::test]
async fn b12_two_types_of_one_name_each_get_what_they_can_read() {
    let (bus, typed, any) = (EventBus::new(), Seen::new(), Seen::new());
    see_typed::<Changed<u8>>(&bus, &typed);
    see_pattern(&bus, "value.changed", &any);
    see_typed::<Changed<String>>(&bus, &typed);
    see_typed::<Changed<Option<u64>>>(&bus, &typed);

    bus.emit(Changed("by type".to_owned())).await.unwrap();
    assert_eq!((typed.take(), any.take().len()), (vec!["Changed(\"by type\")".to_owned()], 1));
    assert_eq!(bus.emit_json("value.changed", json!(7)).await.unwrap().delivered(), 3);
    assert_eq!((typed.take(), any.take().len()), (vec!["Changed(7)".to_owned(), "Changed(Some(7))".to_owned()], 1));
    assert_eq!(bus.emit_json("value.changed", json!("x")).await.unwrap().delivered(), 2);
    assert_eq!((typed.take(), any.take().len()), (vec!["Changed(\"x\")".to_owned()], 1));
    assert_eq!(bus.stats().undecodable, 0);
    assert!(matches!(bus.emit_json("value.changed", json!([])).await, Err(EmitError::Decode(_))));
    assert_eq!((typed.take().len(), any.take().len(), bus.stats().undecodable), (0, 0, 1));
    assert_eq!((bus.listener_count::<Changed<u8>>(), bus.listener_count_of("value.changed")), (2, 4));
}

#[tokio::test]
async fn b12_any_event_is_the_same_for_typed_and_untyped_emits() {
    for (typed_handler, emit) in [(false, "typed"), (true, "typed"), (false, "json"), (true, "json")] {
        let (bus, seen) = (EventBus::new(), Seen::new());
        if typed_handler {
            bus.on_sync(|_: &User, _| {});
        }
        let into = seen.clone();
        bus.on_pattern("*", move |event: AnyEvent, cx: Context| {
            let user = event.downcast::<User>();
            assert!(event.downcast::<Secret>().is_none() && event.downcast::<Changed<u64>>().is_none());
            into.add((event.name().to_owned(), cx.name().to_owned(), event.version(), user, event.json()));
            std::future::ready(())
        })
        .unwrap();
        let emitted = match emit {
            "typed" => bus.emit(User { id: 7 }).await,
            _ => bus.emit_json("user.created", json!({ "id": 7 })).await,
        };
        assert_eq!(emitted.unwrap().failures().len(), 0);
        let name = "user.created".to_owned();
        let expected = (name.clone(), name, 1, Some(Arc::new(User { id: 7 })), Some(json!({ "id": 7 })));
        assert_eq!(seen.take(), [expected], "{emit}");
    }
}

#[tokio::test]
async fn b12_a_local_event_has_no_json_and_none_can_be_made_of_it() {
    let (bus, seen) = (EventBus::new(), Seen::new());
    let into = seen.clone();
    bus.on_pattern("user.*", move |event: AnyEvent| {
        let encoded = event.encode().map(|json| json.is_none());
        into.add((event.downcast::<Secret>().map(|secret| secret.0), event.json(), encoded.ok()));
        std::future::ready(())
    })
    .unwrap();
    bus.emit(Secret(7)).await.unwrap();
    assert_eq!(seen.take(), [(Some(7), None, Some(true))]);
    // Without a handler of the type, its name is as unknown as any.
    bus.emit_json("user.secret", json!(8)).await.unwrap();
    assert_eq!(seen.take(), [(None, Some(json!(8)), Some(false))]);
    bus.on_sync(|_: &Secret, _| {});
    let error = bus.emit_json("user.secret", json!(8)).await.unwrap_err();
    assert!(matches!(error, EmitError::Decode(error) if error.kind() == DecodeErrorKind::Local));
    assert_eq!(seen.take(), []);
}

/// How often an event was written as JSON and read from it.
static WRITTEN: AtomicUsize = AtomicUsize::new(0);
static READ: AtomicUsize = AtomicUsize::new(0);

#[derive(Debug, Event)]
#[event(name = "counted")]
struct Counted;

impl Serialize for Counted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WRITTEN.fetch_add(1, Ordering::SeqCst);
        serializer.serialize_unit()
    }
}

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        READ.fetch_add(1, Ordering::SeqCst);
        <()>::deserialize(deserializer).map(|()| Self)
    }
}

#[tokio::test]
async fn b12_json_is_made_and_read_only_when_it_is_asked_for() {
    let counts = || (WRITTEN.load(Ordering::SeqCst), READ.load(Ordering::SeqCst));
    let bus = EventBus::new();
    let (any, lazy) = (Seen::new(), bus.on_pattern("*", async |_: AnyEvent| {}).unwrap());
    bus.emit(Counted).await.unwrap();
    bus.emit_json("counted", json!(null)).await.unwrap();
    assert_eq!(counts(), (0, 0), "nobody asked");

    let into = any.clone();
    let asks = bus.on_pattern("*", move |event: AnyEvent| {
        into.add(event.downcast::<Counted>());
        std::future::ready(())
    });
    bus.emit(Counted).await.unwrap();
    assert_eq!(counts(), (0, 0), "it has its type already");
    bus.emit_json("counted", json!(null)).await.unwrap();
    assert_eq!(counts(), (0, 1));

    for _ in 0..3 {
        bus.on_sync(|_: &Counted, _| {});
    }
    let kept = bus.stream::<Counted>(1);
    any.take();
    bus.emit_json("counted", json!(null)).await.unwrap();
    assert_eq!(counts(), (0, 2), "read once, whoever wants it");
    let shared = any.take().remove(0).unwrap();
    let kept = std::pin::pin!(kept).next().await.unwrap().unwrap();
    assert!(Arc::ptr_eq(&shared, &kept));
    assert!(asks.unwrap().off() && lazy.off());
}

#[tokio::test]
async fn b12_an_event_that_cannot_be_written_as_json_says_why() {
    #[derive(Debug, Deserialize, Event)]
    #[event(name = "unwritable")]
    struct Unwritable;

    impl Serialize for Unwritable {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("not on paper"))
        }
    }

    let (bus, seen) = (EventBus::new(), Seen::new());
    let into = seen.clone();
    bus.on_pattern("*", move |event: AnyEvent| {
        let source = event.encode().map_err(|error| std::error::Error::source(&error).map(ToString::to_string));
        into.add((event.json(), source.err().flatten()));
        std::future::ready(())
    })
    .unwrap();
    assert_eq!(bus.emit(Unwritable).await.unwrap().delivered(), 1);
    assert_eq!(seen.take(), [(None, Some("not on paper".to_owned()))]);
}

#[tokio::test(start_paused = true)]
async fn b12_pattern_subscriptions_take_every_option() {
    let (bus, seen, name) = (EventBus::new(), Seen::new(), format!("job.{}", 7));
    let add = |what: &'static str| {
        let seen = seen.clone();
        move || seen.add(what)
    };
    let subscribe = || bus.subscribe_pattern(&name).unwrap();
    let once = add("once");
    subscribe().name("once").once().handle_sync(move |_, _| once());
    let filtered = add("filtered");
    subscribe().filter(|event| event.json() == Some(json!(2))).handle_sync(move |_, _| filtered());
    let timed = subscribe().timeout(Duration::from_secs(1)).handle(async |_: AnyEvent| {
        std::future::pending::<()>().await;
    });
    let queued = add("queued");
    subscribe().queued(1, Overflow::DropOldest).concurrency(2).handle_sync(move |_, _| queued());
    let layered = add("layer");
    subscribe()
        .layer(from_fn(move |call, next| {
            layered();
            next.run(call)
        }))
        .handle_with(7, async |state: Arc<i32>, _: AnyEvent| assert_eq!(*state, 7));
    let mut stream = subscribe().stream(4);

    let first = bus.emit_json(name.as_str(), json!(1)).await.unwrap();
    assert_eq!((first.delivered(), first.failures().len()), (4, 1));
    assert_eq!(first.failures()[0].subscription(), timed.id());
    assert_eq!(first.failures()[0].error().kind(), HandlerErrorKind::TimedOut);
    bus.settle().await;
    assert_eq!(seen.take(), ["once", "layer", "queued"]);
    let second = bus.emit_json(name.as_str(), json!(2)).await.unwrap();
    assert_eq!((second.delivered(), second.failures().len()), (4, 1));
    bus.settle().await;
    assert_eq!(seen.take(), ["filtered", "layer", "queued"]);
    assert_eq!(stream.next().await.unwrap().unwrap().json(), Some(json!(1)));
    assert_eq!(bus.emit_json("job.8", json!(1)).await.unwrap().delivered(), 0);
}

#[tokio::test]
async fn b12_an_untyped_emit_takes_the_options_of_an_emit() {
    let (bus, seen) = (EventBus::new(), Seen::new());
    let into = seen.clone();
    bus.on_sync(move |_: &User, cx: &Context| {
        let header = cx.headers().get("tenant").cloned();
        into.add((cx.id().to_string(), cx.correlation_id().to_string(), header));
    });
    bus.emit_json("user.created", json!({ "id": 7 }))
        .id("event-1".parse().unwrap())
        .correlation_id("story-1".parse().unwrap())
        .header("tenant", "eu")
        .sequential()
        .await
        .unwrap();
    assert_eq!(seen.take(), [("event-1".to_owned(), "story-1".to_owned(), Some("eu".to_owned()))]);
}
