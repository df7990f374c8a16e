use std::sync::Arc;

use oyez::{Event, EventMap};

#[derive(Event)]
#[event(name = "user", local)]
struct User;

#[derive(Event)]
#[event(name = "order", local)]
struct Order;

struct Plain;

#[derive(EventMap)]
enum Map {
    User(Arc<User>),
    Plain(Arc<Plain>),
    Order(Arc<Order>),
}

fn is_map<M: EventMap>() {}

fn main() {
    is_map::<Map>();
}
