use oyez::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "key", durable, key = "id")]
struct Key {
    id: Vec<u8>,
}

fn is_event<E: Event>() {}

fn main() {
    is_event::<Key>();
}
