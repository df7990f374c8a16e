//! B9: which patterns stand for which names, against a matcher that is written in the plainest way.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::FutureExt;
use oyez::{AnyEvent, Event, EventBus, NameError, Pattern, PatternError, Subscription, check_name};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::journal::Journal;

/// The rules of B9 in words: `*` is one segment, `**` at the end one or more, `*` alone everything.
pub(crate) fn naive(pattern: &str, name: &str) -> bool {
    fn segments(pattern: &[&str], name: &[&str]) -> bool {
        match (pattern, name) {
            ([], []) => true,
            (["**"], [_, ..]) => true,
            (["*", pattern @ ..], [_, name @ ..]) => segments(pattern, name),
            ([wanted, pattern @ ..], [found, name @ ..]) => wanted == found && segments(pattern, name),
            _ => false,
        }
    }
    pattern == "*" || segments(&pattern.split('.').collect::<Vec<_>>(), &name.split('.').collect::<Vec<_>>())
}

fn legal_name(text: &str) -> bool {
    let forbidden = |c: char| c.is_whitespace() || c.is_control() || c == '*' || c == '>';
    (1..=255).contains(&text.len()) && !text.contains(forbidden) && text.split('.').all(|segment| !segment.is_empty())
}

fn legal_pattern(text: &str) -> bool {
    let segments: Vec<_> = text.split('.').collect();
    let stars = |(place, segment): (usize, &&str)| match *segment {
        "*" => true,
        "**" => place + 1 == segments.len(),
        segment => !segment.contains('*'),
    };
    legal_name(&text.replace('*', "x")) && segments.iter().enumerate().all(stars)
}

/// Few segments, so that names and patterns meet often; with characters that other systems give a meaning.
fn segment() -> impl Strategy<Value = String> {
    let plain = ["a", "b", "ab", "é", "e\u{301}", "🦀", "a:b", "a/b", "[x]", "%", "#", "?", "+", "日本", "A"];
    prop_oneof![9 => prop::sample::select(plain.to_vec()).prop_map(str::to_owned), 1 => "[^\\s\\p{Cc}*>.]{1,6}"]
}

fn name() -> impl Strategy<Value = String> {
    prop::collection::vec(segment(), 1..5).prop_map(|segments| segments.join("."))
}

fn pattern() -> impl Strategy<Value = String> {
    let any = prop_oneof![2 => segment(), 1 => Just("*".to_owned())];
    let last = prop_oneof![3 => any.clone(), 1 => Just("**".to_owned())];
    (prop::collection::vec(any, 0..4), last)
        .prop_map(|(segments, last)| segments.into_iter().chain([last]).collect::<Vec<_>>().join("."))
}

/// Texts near the border between legal and illegal.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec!["a", "é", ".", "*", "**", ">", " ", "\u{a0}", "\u{7f}", "\n", "🦀", ""]);
    let long = (250..260_usize, prop::sample::select(vec!["x", "é", "x."]));
    prop_oneof![
        4 => prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat()),
        1 => long.prop_map(|(bytes, unit)| unit.repeat(bytes / unit.len())),
        1 => any::<String>(),
    ]
}

/// Events whose types are known, for patterns that meet types.
macro_rules! events {
    ($($event:ident = $name:literal),*) => {
        $(
            #[derive(Debug, Serialize, Deserialize, Event)]
            #[event(name = $name)]
            struct $event;
        )*

        const TYPED: &[&str] = &[$($name),*];

        fn emit(bus: &EventBus, name: &str, typed: bool) {
            let delivered = match name {
                $($name if typed => bus.emit($event).now_or_never(),)*
                _ => bus.emit_json(name, json!(null)).now_or_never(),
            };
            delivered.unwrap().unwrap();
        }
    };
}

events!(A = "a", Ab = "a.b", Aab = "a.a.b", Ba = "b.a", Crab = "🦀.é", Colon = "a:b.%", Deep = "b.a.ab.日本");

fn subscribe(bus: &EventBus, place: usize, pattern: &str, journal: &Journal<(usize, String)>) -> Subscription {
    let seen = journal.clone();
    let note = move |event: &AnyEvent, _: &_| seen.push((place, event.name().to_owned()));
    bus.subscribe_pattern(pattern).unwrap().handle_sync(note)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(9), failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

proptest! {
    #![proptest_config(config(20_000))]

    #[test]
    fn b09_a_pattern_matches_what_the_plain_rules_say(pattern in pattern(), name in name()) {
        let parsed: Pattern = pattern.parse().unwrap();
        prop_assert_eq!(parsed.matches(&name), naive(&pattern, &name), "{} {}", pattern, name);
        prop_assert_eq!(parsed.as_str(), &pattern);
        prop_assert_eq!(parsed.to_string(), pattern);
    }

    #[test]
    fn b09_what_is_legal_follows_the_plain_rules(text in text()) {
        prop_assert_eq!(check_name(&text).is_ok(), legal_name(&text), "{:?}", text);
        let parsed = text.parse::<Pattern>();
        prop_assert_eq!(parsed.is_ok(), legal_pattern(&text), "{:?}", text);
        if legal_name(&text) {
            prop_assert!(parsed.unwrap().matches(&text), "a name is a pattern of itself");
        }
        if text.is_empty() {
            prop_assert_eq!(text.parse::<Pattern>(), Err(PatternError::Name(NameError::Empty)));
        }
    }
}

proptest! {
    #![proptest_config(config(1500))]

    /// Patterns come before and after a name is first seen, and go again; each emit reaches exactly those that match.
    #[test]
    fn b09_a_bus_delivers_what_the_plain_rules_say(
        early in prop::collection::vec(pattern(), 0..6),
        late in prop::collection::vec(pattern(), 0..6),
        untyped in prop::collection::vec(name(), 1..5),
        off in prop::collection::vec(any::<bool>(), 12),
    ) {
        let (bus, journal) = (EventBus::new(), Journal::new());
        let names: Vec<_> = TYPED.iter().map(|name| (*name).to_owned()).chain(untyped).collect();
        let patterns: Vec<_> = early.iter().chain(&late).collect();
        let mut on: BTreeSet<usize> = BTreeSet::new();
        let mut subscriptions = Vec::new();
        for part in [0..early.len(), early.len()..patterns.len()] {
            for place in part {
                subscriptions.push(subscribe(&bus, place, patterns[place], &journal));
                on.insert(place);
            }
            check(&bus, &journal, &names, &patterns, &on)?;
        }
        for (place, subscription) in subscriptions.iter().enumerate().filter(|(place, _)| off[*place]) {
            prop_assert!(subscription.off());
            on.remove(&place);
        }
        check(&bus, &journal, &names, &patterns, &on)?;
    }
}

fn check(
    bus: &EventBus,
    journal: &Journal<(usize, String)>,
    names: &[String],
    patterns: &[&String],
    on: &BTreeSet<usize>,
) -> Result<(), TestCaseError> {
    for name in names {
        let expected: Vec<_> = on.iter().filter(|place| naive(patterns[**place], name)).collect();
        let expected: Vec<_> = expected.into_iter().map(|place| (*place, name.clone())).collect();
        prop_assert_eq!(bus.listener_count_of(name), expected.len());
        for typed in [true, false] {
            emit(bus, name, typed);
            prop_assert_eq!(&journal.take(), &expected, "{} typed: {}", name, typed);
        }
    }
    Ok(())
}

#[tokio::test]
async fn b09_remembered_names_are_bounded_and_forgetting_them_changes_nothing() {
    const NAMES: usize = 5000;
    let (bus, journal) = (EventBus::new(), Journal::new());
    subscribe(&bus, 0, "*", &journal);
    subscribe(&bus, 1, "rpc.*", &journal);
    subscribe(&bus, 2, "rpc.7", &journal);
    let mut most = 0;
    for round in 0..2 {
        for number in 0..NAMES {
            let name = format!("rpc.{number}");
            bus.emit_json(name.as_str(), json!(number)).await.unwrap();
            let expected = if number == 7 { vec![0, 1, 2] } else { vec![0, 1] };
            assert_eq!(journal.take(), expected.into_iter().map(|place| (place, name.clone())).collect::<Vec<_>>());
            most = most.max(bus.stats().remembered_names);
        }
        let calls: Vec<_> = bus.listeners().iter().map(|listener| listener.calls).collect();
        assert_eq!(calls, [NAMES, NAMES, 1].map(|calls| (calls * (round + 1)) as u64));
    }
    assert!((1..=1024).contains(&most), "{most} names were remembered");
    // A subscription that comes later is seen by names that are remembered, and so is one that goes.
    let late = subscribe(&bus, 3, "rpc.**", &journal);
    for on in [true, false] {
        bus.emit_json("rpc.7", json!(null)).await.unwrap();
        let places: Vec<_> = journal.take().into_iter().map(|(place, _)| place).collect();
        assert_eq!(places, if on { vec![0, 1, 2, 3] } else { vec![0, 1, 2] });
        assert_eq!(late.off(), on);
    }
}

#[test]
fn b09_a_pattern_reaches_types_that_are_first_seen_later() {
    let (bus, journal) = (EventBus::new(), Journal::new());
    let pattern = subscribe(&bus, 0, "a.*", &journal);
    emit(&bus, "a.b", true);
    emit(&bus, "a.a.b", true);
    assert_eq!(journal.take(), [(0, "a.b".to_owned())]);
    assert!(pattern.off());
    emit(&bus, "a.b", true);
    assert!(journal.take().is_empty());
    // A type that was seen while nobody listened, and a handler of its own beside the pattern.
    let seen = journal.clone();
    bus.on(move |_: Arc<Ab>| std::future::ready(seen.push((1, "exact".to_owned()))));
    subscribe(&bus, 2, "**", &journal);
    emit(&bus, "a.b", true);
    assert_eq!(journal.take(), [(1, "exact".to_owned()), (2, "a.b".to_owned())]);
}
