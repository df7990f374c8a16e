//! Events, handlers, what became of an emit, and how to stop listening.

#![expect(clippy::print_stdout, reason = "the example shows what happens")]

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use oyez::{AnyEvent, Context, Event, EventBus};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "user.created")]
struct UserCreated {
    id: u64,
    email: String,
}

#[derive(Default)]
struct Db {
    users: Mutex<Vec<u64>>,
}

impl Db {
    async fn insert(&self, user: &UserCreated) -> Result<(), Box<dyn Error + Send + Sync>> {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        if users.contains(&user.id) {
            return Err(format!("there is a user {} already", user.id).into());
        }
        users.push(user.id);
        Ok(())
    }
}

async fn send_welcome_mail(user: Arc<UserCreated>) {
    println!("  mail to {}, the first user", user.email);
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = EventBus::new();

    // An async handler gets the event in an `Arc`, so that it may keep it across its awaits.
    bus.on(async |user: Arc<UserCreated>| println!("  welcome {}", user.email));
    // What it needs besides the event is handed over by `with`.
    bus.with(Db::default()).on(async |db: Arc<Db>, user: Arc<UserCreated>| db.insert(&user).await);
    // A second argument tells when, by whom and inside of what the event was emitted.
    bus.on(async |_: Arc<UserCreated>, cx: Context| println!("  event {} at depth {}", cx.id(), cx.depth()));
    // A handler that does not wait for anything costs no allocation.
    bus.on_sync(|user: &UserCreated, _| println!("  counted user {}", user.id));
    let first = bus.once(send_welcome_mail);
    // A pattern hears events of every type whose name it matches.
    bus.on_pattern("user.*", async |event: AnyEvent| {
        println!("  {} {}", event.name(), event.json().unwrap_or_default())
    })?;

    println!("the first user");
    let emitted = bus.emit(UserCreated { id: 1, email: "a@example.com".into() }).await?;
    assert_eq!(emitted.delivered(), 6);
    assert!(!first.off(), "it ran, so it is gone");

    // A handler that fails or panics keeps no other from running, and `emit` tells which it was.
    println!("the same user again");
    let emitted = bus.emit(UserCreated { id: 1, email: "a@example.com".into() }).await?;
    for failure in emitted.failures() {
        println!("  {failure}: {}", failure.reason());
    }
    assert_eq!((emitted.delivered(), emitted.failures().len()), (4, 1));

    // The next event that fits. It listens from here on, so nothing is missed between this line and the await.
    let wanted = bus.wait_for::<UserCreated>(|user| user.id == 2);
    bus.emit(UserCreated { id: 2, email: "b@example.com".into() }).await?;
    println!("waited for {}", wanted.await?.email);
    Ok(())
}
