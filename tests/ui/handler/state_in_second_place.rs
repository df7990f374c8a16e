use std::sync::Arc;

use oyez::{Event, EventBus};

#[derive(Event)]
#[event(name = "user", local)]
struct User {
    id: u64,
}

fn main() {
    let bus = EventBus::new();
    bus.with(7_u64).on(async |user: Arc<User>, limit: Arc<u64>| assert!(user.id < *limit));
}
