use std::rc::Rc;
use std::sync::Arc;

use oyez::{Event, EventBus};

#[derive(Event)]
#[event(name = "user", local)]
struct User {
    id: u64,
}

fn main() {
    let bus = EventBus::new();
    bus.on(async |user: Arc<User>| {
        let local = Rc::new(user.id);
        std::future::ready(()).await;
        drop(local);
    });
}
