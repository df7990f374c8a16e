use oyez::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "lifetime")]
struct L<'a>(&'a str);

fn is_event<E: Event>() {}

fn main() {
    is_event::<L<'static>>();
}
