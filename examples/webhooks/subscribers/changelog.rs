//! A handler that emits: a release is announced by an event of its own.
//!
//! The inner emit runs to its end inside of the outer one. It inherits the correlation id, and names the release as
//! its cause.

use std::sync::Arc;

use oyez::{Context, EmitError, EventBus};

use crate::events::{ChangelogAnnounced, ReleasePublished};

pub fn subscribe(bus: &EventBus) {
    bus.subscribe::<ReleasePublished>().name("changelog").handle(announce);
    bus.subscribe::<ChangelogAnnounced>().name("newsletter").handle(send);
}

async fn announce(published: Arc<ReleasePublished>) -> Result<(), EmitError> {
    let ReleasePublished { release, repository } = &*published;
    let headline = format!("{} {} is out", repository.full_name, release.tag_name);
    oyez::emit(ChangelogAnnounced { headline }).await?;
    Ok(())
}

async fn send(announced: Arc<ChangelogAnnounced>, cx: Context) {
    let cause = cx.causation_id().map(ToString::to_string).unwrap_or_default();
    tracing::debug!(depth = cx.depth(), cause, "{}", announced.headline);
}
