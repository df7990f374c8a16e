use oyez::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "upcast")]
struct Old;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "upcast", upcast = [Old])]
struct Current;

fn is_event<E: Event>() {}

fn main() {
    is_event::<Current>();
}
