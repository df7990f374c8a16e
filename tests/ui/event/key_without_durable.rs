use oyez::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "key", key = "id")]
struct Key {
    id: u64,
}

fn is_event<E: Event>() {}

fn main() {
    is_event::<Key>();
}
