//! A handler with a bug: it panics on some payloads, and is called for the next one nevertheless.

use std::sync::Arc;

use oyez::{BoxError, EventBus};

use crate::events::Push;

pub fn subscribe(bus: &EventBus) {
    bus.subscribe::<Push>().name("commit-check").handle(check);
}

async fn check(push: Arc<Push>) -> Result<(), BoxError> {
    // The bug: a push that only makes or deletes a tag has no commits, and the index panics.
    let first = &push.commits[0];
    if first.message.trim().is_empty() {
        return Err(format!("a commit in {} has no message", push.repository.full_name).into());
    }
    Ok(())
}
