//! B9: names are carried exactly and match exactly; illegal ones are typed errors.

use std::sync::Arc;

use oyez::{
    AnyEvent, Context, DecodeError, EmitError, EncodeError, Event, EventBus, NameError, Pattern, PatternError,
    check_name,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;

use crate::journal::Journal;

/// Declares an event for each name.
macro_rules! events {
    ($($event:ident = $name:literal),* $(,)?) => {
        $(
            #[derive(Debug, Serialize, Deserialize, Event)]
            #[event(name = $name)]
            struct $event;
        )*

        /// Emits each event typed, after subscribing to it in every way; all handlers must get exactly that one.
        async fn each_typed_event_is_carried_exactly() {
            $({
                let (bus, journal) = (EventBus::new(), Journal::new());
                subscribe_all_ways(&bus, $name, &journal);
                let (seen, seen_sync) = (journal.clone(), journal.clone());
                bus.on(move |_: Arc<$event>, cx: Context| std::future::ready(seen.push(cx.name().to_owned())));
                bus.on_sync(move |_: &$event, cx| seen_sync.push(cx.name().to_owned()));
                assert_eq!($event::NAME, $name);
                assert_eq!(bus.emit($event).await.unwrap().delivered(), 6);
                assert_eq!(journal.take(), vec![$name; 6]);
                assert_eq!(bus.emit_json($name, json!(null)).await.unwrap().delivered(), 6);
                assert_eq!(journal.take(), vec![$name; 6]);
                let targets: Vec<_> = bus.listeners().iter().map(|listener| listener.target.to_string()).collect();
                assert_eq!(targets, ["*", "**", $name, $name, $name, $name]);
                assert_eq!((bus.listener_count::<$event>(), bus.listener_count_of($name)), (6, 6));
            })*
        }
    };
}

events! {
    Billing = "billing:eu",
    Created = "événement.créé",
    Slash = "a/b",
    Brackets = "price[eu]",
    Percent = "%",
    Escaped = "%2A%20",
    Crab = "🦀.🦀",
    Quotes = "\"quoted\".'name'\\",
    Shell = "$HOME;rm|&!?{}()^~`#@=+,<",
    Hyphens = "-._.-",
    Digits = "0.00.000",
    Mixed = "Café.naïve.日本語.العربية.עברית",
    Longest = "255.bytes.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
}

fn subscribe_all_ways(bus: &EventBus, name: &'static str, journal: &Journal<String>) {
    for pattern in ["*", "**", name] {
        let seen = journal.clone();
        bus.on_pattern(pattern, move |event: AnyEvent, cx: Context| {
            assert_eq!(event.name(), cx.name());
            std::future::ready(seen.push(event.name().to_owned()))
        })
        .unwrap();
    }
    let seen = journal.clone();
    bus.subscribe_pattern(name).unwrap().handle_sync(move |event, _| seen.push(event.name().to_owned()));
}

#[tokio::test]
async fn b09_legal_names_are_carried_exactly() {
    assert_eq!(Longest::NAME.len(), 255);
    each_typed_event_is_carried_exactly().await;
}

#[tokio::test]
async fn b09_names_that_only_run_time_knows_are_carried_exactly() {
    let longest = "é".repeat(127) + "x";
    for name in ["rpc.1", "日本語", &longest, "a\u{301}", "á"] {
        let (bus, journal) = (EventBus::new(), Journal::new());
        let seen = journal.clone();
        bus.on_pattern("*", move |event: AnyEvent, cx: Context| {
            std::future::ready(seen.push((event.name().to_owned(), cx.name().to_owned())))
        })
        .unwrap();
        bus.emit_json(name, json!({})).await.unwrap();
        assert_eq!(journal.take(), [(name.to_owned(), name.to_owned())]);
    }
}

#[tokio::test]
async fn b09_names_match_exactly() {
    let names = [
        "user",
        "user.created",
        "User.created",
        "user.create",
        "user.created.now",
        "user.Created",
        "user/created",
        "user:created",
        "usercreated",
        "a\u{301}",
        "á",
        "ss",
        "ß",
        "SS",
        "%75ser",
        "user.created%",
    ];
    for subscribed in names {
        let (bus, journal) = (EventBus::new(), Journal::new());
        let seen = journal.clone();
        bus.on_pattern(subscribed, move |event: AnyEvent| std::future::ready(seen.push(event.name().to_owned())))
            .unwrap();
        for emitted in names {
            bus.emit_json(emitted, json!(0)).await.unwrap();
        }
        assert_eq!(journal.take(), [subscribed]);
    }
}

/// Illegal as a name; with what is said about it.
fn illegal() -> Vec<(String, NameError)> {
    let forbidden = |found: char| NameError::Forbidden { found };
    let mut cases = vec![
        (String::new(), NameError::Empty),
        ("x".repeat(256), NameError::TooLong { len: 256 }),
        ("é".repeat(128), NameError::TooLong { len: 256 }),
        ("x".repeat(100_000), NameError::TooLong { len: 100_000 }),
        ("user.*".to_owned(), forbidden('*')),
        ("*".to_owned(), forbidden('*')),
        ("user.**".to_owned(), forbidden('*')),
        ("user.>".to_owned(), forbidden('>')),
        (">".to_owned(), forbidden('>')),
    ];
    cases.extend(["a..b", ".x", "x.", ".", "..", "a...b"].map(|text| (text.to_owned(), NameError::EmptySegment)));
    let white = (0..=u32::from(char::MAX)).filter_map(char::from_u32).filter(|c| c.is_whitespace() || c.is_control());
    cases.extend(white.flat_map(|c| [(format!("a{c}b"), forbidden(c)), (c.to_string(), forbidden(c))]));
    assert!(cases.len() > 150);
    cases
}

#[tokio::test]
async fn b09_an_illegal_name_is_a_typed_error() {
    let bus = EventBus::new();
    bus.on_pattern("*", async |_: AnyEvent| ()).unwrap();
    for (name, error) in illegal() {
        assert_eq!(check_name(&name), Err(error), "{name:?}");
        assert!(!error.to_string().is_empty());
        match bus.emit_json(name.as_str(), json!(null)).await {
            Err(EmitError::Name(found)) => assert_eq!(*found, error, "{name:?}"),
            other => unreachable!("{name:?}: {other:?}"),
        }
        match bus.emit_json(name.as_str(), json!(null)).detach() {
            Err(EmitError::Name(found)) => assert_eq!(*found, error, "{name:?}"),
            other => unreachable!("{name:?}: {other:?}"),
        }
    }
    assert_eq!((bus.stats().remembered_names, bus.listeners()[0].calls), (0, 0));
}

#[test]
fn b09_an_illegal_pattern_is_a_typed_error() {
    let bus = EventBus::new();
    let broken = illegal().into_iter().filter(|(name, _)| !name.contains('*'));
    let broken = broken.map(|(name, error)| (name, PatternError::Name(error)));
    let partial = ["us*r.x", "user*", "*user", "a.b*", "***", "a.***", "a.*b.c", "a.**b", "*é"];
    let partial = partial.map(|text| (text.to_owned(), PatternError::PartialWildcard));
    let inner = ["**.a", "a.**.b", "**.**", "a.**.*"].map(|text| (text.to_owned(), PatternError::InnerRest));
    for (text, error) in broken.chain(partial).chain(inner) {
        assert_eq!(text.parse::<Pattern>(), Err(error), "{text:?}");
        assert_eq!(bus.on_pattern(&text, async |_: AnyEvent| ()).err(), Some(error), "{text:?}");
        assert_eq!(bus.subscribe_pattern(text.as_str()).err(), Some(error), "{text:?}");
        assert!(!error.to_string().is_empty());
    }
    assert!(bus.listeners().is_empty());
}

/// An event whose `Event` is written by hand, with a name that the derive would refuse.
struct ByHand;

impl Event for ByHand {
    const NAME: &'static str = "by hand.*";

    fn encode(&self) -> Result<Option<Box<RawValue>>, EncodeError> {
        Ok(None)
    }

    fn decode(_: u32, _: &[u8]) -> Result<Self, DecodeError> {
        Ok(Self)
    }
}

#[tokio::test]
async fn b09_an_illegal_name_of_a_hand_written_event_is_a_typed_error() {
    let bus = EventBus::new();
    bus.on_pattern("*", async |_: AnyEvent| ()).unwrap();
    bus.on_sync(|_: &ByHand, _| ());
    assert!(matches!(bus.emit(ByHand).await, Err(EmitError::Name(why)) if *why == NameError::Forbidden { found: ' ' }));
    assert_eq!(bus.listeners().iter().map(|listener| listener.calls).sum::<u64>(), 0);
}
