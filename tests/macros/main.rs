//! What the derive macros make of every shape of type.

#![expect(clippy::expect_used, reason = "a test may fail so")]

mod boxed;
mod event_map;
mod hygiene;
mod paths;
mod settings;
mod shapes;
mod versions;

use std::fmt::Debug;

use oyez::{DecodeErrorKind, Event};

/// The event's JSON, after a check that reading it gives the event back.
fn round_trip<E: Event + PartialEq + Debug>(event: &E) -> String {
    let json = event.encode().expect("it has a JSON form").expect("it is not local");
    assert_eq!(&E::decode(E::VERSION, json.get().as_bytes()).expect("it was just written"), event);
    json.get().to_owned()
}

fn decode_failure<E: Event + Debug>(version: u32, json: &str) -> DecodeErrorKind {
    E::decode(version, json.as_bytes()).expect_err("it must not be read").kind()
}
