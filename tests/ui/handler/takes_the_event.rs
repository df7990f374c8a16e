use oyez::{Event, EventBus};

#[derive(Event)]
#[event(name = "user", local)]
struct User {
    id: u64,
}

fn main() {
    let bus = EventBus::new();
    bus.on(async |user: User| drop(user.id));
}
