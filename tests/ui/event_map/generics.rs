use std::sync::Arc;

use oyez::{Event, EventMap};

#[derive(Event)]
#[event(name = "user", local)]
struct User;

#[derive(Event)]
#[event(name = "order", local)]
struct Order;

#[derive(EventMap)]
enum Lifetime<'a> {
    User(Arc<User>),
    Text(Arc<&'a str>),
}

#[derive(EventMap)]
enum Type<T> {
    User(Arc<User>),
    Any(Arc<T>),
}

fn is_map<M: EventMap>() {}

fn main() {
    is_map::<Lifetime<'static>>();
    is_map::<Type<Order>>();
}
