//! [`Draft`]: an event on its way into the log.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use oyez_bus::EventId;
use serde_json::value::RawValue;

use crate::protocol::{Lane, Millis, Position};

/// An event as the log keeps it.
#[derive(Debug, Clone)]
pub struct Record {
    /// Its id: no two events of a log have the same.
    pub id: EventId,
    /// Its name.
    pub name: Arc<str>,
    /// The version of its payload's shape.
    pub version: u32,
    /// The key whose events ordered consumers handle one after the other.
    pub key: Option<Arc<str>>,
    /// Its payload, as JSON.
    pub payload: Box<RawValue>,
    /// What the emitter attached.
    pub headers: BTreeMap<String, String>,
    /// What the events of one story share; `None` is its own id.
    pub correlation: Option<EventId>,
    /// The event that caused it.
    pub causation: Option<EventId>,
    /// When it was emitted, by the emitter's clock.
    pub at: Millis,
    /// The bus that emitted it.
    pub publisher: Arc<str>,
    /// How a failed delivery is tried again, as JSON, as it was when the event was stored.
    pub retry: Option<Arc<str>>,
}

impl Record {
    /// The lane of its key; of its id, if it has none, so that events without a key are spread over all lanes.
    #[must_use]
    pub fn lane(&self) -> Lane {
        Lane::of(self.key.as_deref().unwrap_or(self.id.as_str()))
    }
}

/// An event on its way into the log.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The event.
    pub record: Record,
    /// Of several events with one name and one such key, only the first is stored.
    pub idempotency_key: Option<Arc<str>>,
    /// When consumers may have it; `None` is at once.
    pub due: Option<Due>,
}

/// When consumers may have an event (promise L12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// At this time.
    At(SystemTime),
    /// So long after now, by the log's clock.
    After(Duration),
}

/// An event that is in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// Its id; of a duplicate, the id of the event that was there.
    pub id: EventId,
    /// Its position; `None` while it is scheduled.
    pub position: Option<Position>,
    /// It was there already, and nothing was stored.
    pub duplicate: bool,
}
