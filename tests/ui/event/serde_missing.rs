use oyez::Event;
use serde::{Deserialize, Serialize};

#[derive(Event)]
#[event(name = "serde.neither")]
struct Neither;

#[derive(Serialize, Event)]
#[event(name = "serde.serialize_only")]
struct SerializeOnly {
    id: u64,
}

#[derive(Deserialize, Event)]
#[event(name = "serde.deserialize_only", version = 2)]
enum DeserializeOnly {
    One,
}

fn is_event<E: Event>() {}

fn main() {
    is_event::<Neither>();
    is_event::<SerializeOnly>();
    is_event::<DeserializeOnly>();
}
