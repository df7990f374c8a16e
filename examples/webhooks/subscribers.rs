//! Who listens: a file for each way to do so.

mod audit;
mod changelog;
mod commit_check;
mod first_star;
mod mail;
mod search_index;
mod timeline;
mod triage;

use std::sync::Arc;

use oyez::{EventBus, PatternError};

pub use audit::Audit;
pub use timeline::Timeline;

/// Those that the report asks afterwards.
pub struct Subscribers {
    pub audit: Arc<Audit>,
    pub timeline: Arc<Timeline>,
}

impl Subscribers {
    /// Subscribes everybody. Each event calls them in this order.
    pub fn subscribe(bus: &EventBus) -> Result<Self, PatternError> {
        let audit = Audit::subscribe(bus)?;
        let timeline = Timeline::subscribe(bus);
        triage::subscribe(bus)?;
        first_star::subscribe(bus);
        changelog::subscribe(bus);
        mail::subscribe(bus);
        commit_check::subscribe(bus);
        search_index::subscribe(bus)?;
        Ok(Self { audit, timeline })
    }
}
