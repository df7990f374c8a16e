//! A slow handler with a queue: nobody waits for it, and when it falls too far behind, the oldest events are dropped.

use std::time::Duration;

use oyez::{AnyEvent, EventBus, Overflow, PatternError};

pub fn subscribe(bus: &EventBus) -> Result<(), PatternError> {
    bus.subscribe_pattern("github.**")?
        .name("search-index")
        .queued(256, Overflow::DropOldest)
        .concurrency(4)
        .timeout(Duration::from_millis(500))
        .handle(index);
    Ok(())
}

/// Stands for a call over the network.
async fn index(event: AnyEvent) {
    tokio::time::sleep(Duration::from_millis(2)).await;
    tracing::trace!("indexed {}", event.name());
}
