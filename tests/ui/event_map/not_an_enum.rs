use std::sync::Arc;

use oyez::{Event, EventMap};

#[derive(Event)]
#[event(name = "user", local)]
struct User;

#[derive(Event)]
#[event(name = "order", local)]
struct Order;

#[derive(EventMap)]
struct Struct(Arc<User>);

#[derive(EventMap)]
union Union {
    a: u8,
    b: i8,
}

fn is_map<M: EventMap>() {}

fn main() {
    is_map::<Struct>();
    is_map::<Union>();
}
