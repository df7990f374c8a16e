//! [`HeldKey`], and which event of a key is next.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::protocol::{ExceptionRow, Millis, Position, State};

/// A key of which an earlier event is not over: its later ones wait (promise L11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldKey {
    /// The key.
    pub key: Arc<str>,
    /// The event that holds it.
    pub by: Position,
}

/// The exceptions of some keys, as they are after a settlement.
#[derive(Default)]
pub(super) struct Keys(BTreeMap<Arc<str>, BTreeMap<Position, ExceptionRow>>);

impl Keys {
    pub(super) fn new(rows: &[ExceptionRow]) -> Self {
        let mut keys = Self::default();
        rows.iter().for_each(|row| keys.put(row));
        keys
    }

    /// Notes an exception as it will be.
    pub(super) fn put(&mut self, row: &ExceptionRow) {
        if let Some(key) = &row.key {
            let rows = self.0.entry(Arc::clone(key)).or_default();
            if row.holds {
                rows.insert(row.position, row.clone());
            } else {
                rows.remove(&row.position);
            }
        }
    }

    /// Notes that an exception is gone.
    pub(super) fn remove(&mut self, row: &ExceptionRow) {
        if let Some(rows) = row.key.as_ref().and_then(|key| self.0.get_mut(key)) {
            rows.remove(&row.position);
        }
    }

    /// The rows that must change for it to be true that the first of each key is not parked and all others are, unless
    /// they run.
    pub(super) fn in_order(self, now: Millis) -> Vec<ExceptionRow> {
        let mut changed = Vec::new();
        for rows in self.0.into_values() {
            for (at, mut row) in rows.into_values().enumerate() {
                match (at, row.state) {
                    (0, State::Parked) if row.wants.is_none() => (row.state, row.due) = (State::Retrying, now),
                    (1.., State::Retrying) => row.state = State::Parked,
                    _ => continue,
                }
                changed.push(row);
            }
        }
        changed
    }
}
