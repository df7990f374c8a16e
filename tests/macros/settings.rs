//! `name`, `durable`, `key` and `local`.

use std::fmt;

use oyez::{DecodeErrorKind, Event};
use serde::{Deserialize, Serialize};

use crate::round_trip;

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "settings.plain")]
struct Plain;

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "settings.durable", version = 3, durable, key = "order_id")]
struct Durable {
    order_id: String,
    amount: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Region(char);

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "region-{}", self.0)
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "settings.tuple", durable, key = "1")]
struct TupleKey(u8, Region);

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "settings.raw", durable)]
#[event(key = "type")]
struct RawKey {
    r#type: u8,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "settings.generic", durable, key = "id")]
struct GenericKey<I> {
    id: I,
}

#[derive(Debug, Event)]
#[event(name = "settings.local", local, version = 2)]
struct Local {
    callback: fn(),
}

#[test]
fn b18_settings_become_constants() {
    assert_eq!((Plain::NAME, Plain::VERSION, Plain::DURABLE, Plain::LOCAL), ("settings.plain", 1, false, false));
    assert_eq!((Durable::NAME, Durable::VERSION), ("settings.durable", 3));
    assert_eq!((Durable::DURABLE, Durable::LOCAL), (true, false));
    assert_eq!((Local::NAME, Local::VERSION, Local::DURABLE, Local::LOCAL), ("settings.local", 2, false, true));
}

#[test]
fn b18_a_key_is_the_text_of_its_field() {
    assert_eq!(Plain.key(), None);
    assert_eq!(Durable { order_id: "o-7".to_owned(), amount: 1 }.key().as_deref(), Some("o-7"));
    assert_eq!(TupleKey(1, Region('a')).key().as_deref(), Some("region-a"));
    assert_eq!(RawKey { r#type: 1 }.key().as_deref(), Some("1"));
    assert_eq!(GenericKey { id: 7_u64 }.key().as_deref(), Some("7"));
    assert_eq!(GenericKey { id: "seven".to_owned() }.key().as_deref(), Some("seven"));
    round_trip(&TupleKey(1, Region('a')));
}

#[test]
fn b18_a_local_event_needs_no_serde_and_has_no_json() {
    let event = Local { callback: || () };
    (event.callback)();
    assert!(event.encode().is_ok_and(|encoded| encoded.is_none()));
    for version in [0, 1, 2, 3] {
        let error = Local::decode(version, b"{}").expect_err("it is local");
        assert_eq!(error.kind(), DecodeErrorKind::Local);
    }
}

#[test]
fn b09_every_legal_name_is_carried_exactly() {
    macro_rules! names {
        ($($name:literal),* $(,)?) => {
            [$({
                #[derive(Event)]
                #[event(name = $name, local)]
                struct Named;
                (Named::NAME, $name)
            }),*]
        };
    }

    let names = names![
        "a",
        "billing:eu",
        "événement.créé",
        "a/b",
        "price[eu]",
        "%",
        "a\\b",
        "{}",
        "{0}",
        "\"quoted\"",
        r"raw\n",
        "🦀",
        "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890\
         1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890\
         1234567890123456789012345678901234567890123456789012345",
    ];
    for (carried, written) in names {
        assert_eq!(carried, written);
    }
    assert_eq!(names.last().map(|(name, _)| name.len()), Some(255));
}
