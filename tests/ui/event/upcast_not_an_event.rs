use oyez::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Old;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "upcast", version = 2, upcast = [Old])]
struct Current;

impl From<Old> for Current {
    fn from(_: Old) -> Self {
        Self
    }
}

fn is_event<E: Event>() {}

fn main() {
    is_event::<Current>();
}
