use std::sync::Arc;

use oyez::{Event, EventMap};

#[derive(Event)]
#[event(name = "user", local)]
struct User;

#[derive(Event)]
#[event(name = "order", local)]
struct Order;

#[derive(Event)]
#[event(name = "user", local, version = 2)]
struct NewUser;

#[derive(EventMap)]
enum Map {
    User(Arc<User>),
    Order(Arc<Order>),
    NewUser(Arc<NewUser>),
    AlsoOrder(Arc<Order>),
}

fn is_map<M: EventMap>() {}

fn main() {
    is_map::<Map>();
}
