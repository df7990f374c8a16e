//! A pattern: everything that happens to issues, whether or not this program has a type for it.

use oyez::{AnyEvent, BoxError, EventBus, PatternError};

use crate::events::IssueOpened;

pub fn subscribe(bus: &EventBus) -> Result<(), PatternError> {
    bus.subscribe_pattern("github.issues.*")?.name("triage").handle(triage);
    Ok(())
}

async fn triage(event: AnyEvent) -> Result<(), BoxError> {
    if let Some(opened) = event.downcast::<IssueOpened>() {
        tracing::debug!("#{} is new: {}", opened.issue.number, opened.issue.title);
        return Ok(());
    }
    let payload = event.json().unwrap_or_default();
    let number = payload["issue"]["number"].as_u64().ok_or("the issue has no number")?;
    tracing::debug!("#{number}: {}", event.name());
    Ok(())
}
