use std::sync::Arc;

use oyez::{Event, EventMap};

#[derive(Event)]
#[event(name = "user", local)]
struct User;

#[derive(Event)]
#[event(name = "order", local)]
struct Order;

#[derive(EventMap)]
#[event(name = "shop")]
enum Named {
    User(Arc<User>),
}

#[derive(EventMap)]
enum Inside {
    #[event(name = "user")]
    User(Arc<User>),
}

fn is_map<M: EventMap>() {}

fn main() {
    is_map::<Named>();
    is_map::<Inside>();
}
