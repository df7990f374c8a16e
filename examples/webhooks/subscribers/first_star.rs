//! `once`: runs for the first event, and is gone before it runs, also from the list of listeners.

use std::sync::Arc;

use oyez::EventBus;

use crate::events::StarCreated;

pub fn subscribe(bus: &EventBus) {
    bus.subscribe::<StarCreated>().name("first-star").once().handle(celebrate);
}

async fn celebrate(star: Arc<StarCreated>) {
    tracing::info!("the first star: {} likes {}", star.sender.login, star.repository.full_name);
}
