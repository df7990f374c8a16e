use oyez::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "other")]
struct Other;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "upcast", version = 2)]
struct Same;

#[derive(Event)]
#[event(name = "upcast", local)]
struct Local;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "upcast", version = 2, upcast = [Other, Same, Local])]
struct Current;

impl From<Other> for Current {
    fn from(_: Other) -> Self {
        Self
    }
}

impl From<Same> for Current {
    fn from(_: Same) -> Self {
        Self
    }
}

impl From<Local> for Current {
    fn from(_: Local) -> Self {
        Self
    }
}

fn is_event<E: Event>() {}

fn main() {
    is_event::<Current>();
}
