use oyez::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "generic")]
struct Generic<T>(T);

struct Plain;

fn is_event<E: Event>() {}

fn main() {
    is_event::<Generic<u8>>();
    is_event::<Generic<Plain>>();
}
