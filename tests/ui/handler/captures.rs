use std::sync::Arc;

use oyez::{Event, EventBus};

#[derive(Event)]
#[event(name = "user", local)]
struct User {
    id: u64,
}

fn main() {
    let bus = EventBus::new();
    let limit = Arc::new(1);
    bus.on(async move |user: Arc<User>| assert!(user.id < *limit));
}
