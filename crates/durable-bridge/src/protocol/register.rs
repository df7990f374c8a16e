//! [`register`]: what a consumer's registration changes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::protocol::Position;

/// Where a consumer begins that the log has not seen before (promise L4).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Start {
    /// With what is stored from now on.
    #[default]
    Latest,
    /// With the oldest event that the log has.
    Earliest,
    /// With this position.
    Position(Position),
    /// With the first event stored at this time or later.
    Time(SystemTime),
}

/// What follows for a key when one of its events is dead (promise L11).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnDead {
    /// The later events of the key go on.
    #[default]
    Continue,
    /// They wait until the dead one is released or given up.
    Park,
}

/// What is kept of a consumer, and agreed on by all its workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Whether each key's events run one after the other.
    pub ordered: bool,
    /// What follows for a key when one of its events is dead.
    pub on_dead: OnDead,
    /// How a failed delivery is tried again, as JSON; `None` is as each event says.
    pub retry: Option<String>,
    /// Milliseconds for which a claim belongs to its worker without being renewed.
    pub lease_ms: u64,
    /// The most handlers at a time in one worker.
    pub concurrency: u32,
}

impl Settings {
    fn fields(&self) -> [(&'static str, String); 5] {
        [
            ("ordered", self.ordered.to_string()),
            ("on_dead", format!("{:?}", self.on_dead)),
            ("retry", self.retry.as_deref().unwrap_or("as each event says").to_owned()),
            ("lease_ms", self.lease_ms.to_string()),
            ("concurrency", self.concurrency.to_string()),
        ]
    }
}

/// A consumer as an engine keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsumerRow {
    /// Its settings.
    pub settings: Settings,
    /// Their version.
    pub config_version: u32,
    /// Positions up to here are not its business.
    pub start: Position,
    /// Counts the changes of its types.
    pub types_version: u32,
    /// Its types.
    pub types: BTreeMap<Arc<str>, TypeRow>,
}

/// One type of a consumer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeRow {
    /// The first position at which it is delivered.
    pub since: Position,
}

/// What a worker wants of a consumer.
#[derive(Debug, Clone)]
pub struct Registration {
    /// The consumer's name.
    pub consumer: Arc<str>,
    /// Its settings.
    pub settings: Settings,
    /// Their version: higher wins, lower adopts what is stored.
    pub config_version: u32,
    /// Where it begins, if it is new.
    pub start: Start,
    /// The names of the events that it handles.
    pub names: Vec<Arc<str>>,
}

/// What a worker has got.
#[derive(Debug, Clone)]
pub struct Registered {
    /// The engine's number for the consumer.
    pub consumer: i64,
    /// The consumer as it is now.
    pub row: ConsumerRow,
    /// Whether it is new.
    pub created: bool,
}

/// A setting that differs from what is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The setting.
    pub field: &'static str,
    /// What is stored.
    pub stored: String,
    /// What was asked for.
    pub asked: String,
}

/// Why a registration was refused. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Other settings are stored under the same version.
    Conflict(Vec<Difference>),
    /// The order may not change while anything is open.
    Open,
}

/// What a registration makes of a consumer. `first` is the position before its first one if it is new, `head` the last of
/// the log, `settled` says up to where a consumer without anything open is settled.
///
/// # Errors
/// Why it is refused.
pub fn register(
    stored: Option<ConsumerRow>,
    asked: &Registration,
    first: Position,
    head: Position,
    settled: Option<Position>,
) -> Result<ConsumerRow, Refusal> {
    let Some(mut row) = stored else {
        let since = TypeRow { since: first + 1 };
        return Ok(ConsumerRow {
            settings: asked.settings.clone(),
            config_version: asked.config_version,
            start: first,
            types_version: 1,
            types: asked.names.iter().map(|name| (Arc::clone(name), since)).collect(),
        });
    };
    if asked.config_version == row.config_version {
        let pairs = row.settings.fields().into_iter().zip(asked.settings.fields());
        let differences: Vec<_> = pairs
            .filter(|(stored, asked)| stored != asked)
            .map(|((field, stored), (_, asked))| Difference { field, stored, asked })
            .collect();
        if !differences.is_empty() {
            return Err(Refusal::Conflict(differences));
        }
    } else if asked.config_version > row.config_version {
        if asked.settings.ordered != row.settings.ordered {
            row.start = settled.ok_or(Refusal::Open)?;
        }
        row.settings = asked.settings.clone();
        row.config_version = asked.config_version;
    }
    let new: Vec<_> = asked.names.iter().filter(|name| !row.types.contains_key(*name)).collect();
    if !new.is_empty() {
        row.types_version += 1;
        row.types.extend(new.into_iter().map(|name| (Arc::clone(name), TypeRow { since: head + 1 })));
    }
    Ok(row)
}
