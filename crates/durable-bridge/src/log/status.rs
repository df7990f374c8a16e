//! [`ConsumerStatus`]: how a consumer stands.

use std::collections::BTreeMap;

use crate::protocol::{Millis, Position, State};

/// How a consumer stands (promise L21).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsumerStatus {
    /// The last position of the log.
    pub head: Position,
    /// How many deliveries are in each state. A state without any is left out, and done ones are not counted.
    pub counts: BTreeMap<State, Count>,
    /// When the oldest event was emitted that nobody has claimed yet.
    pub oldest_waiting: Option<Millis>,
    /// Nothing is started.
    pub paused: bool,
}

impl ConsumerStatus {
    /// How many deliveries are in this state.
    #[must_use]
    pub fn count(&self, state: State) -> Count {
        self.counts.get(&state).copied().unwrap_or(Count::Exactly(0))
    }
}

/// How many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// So many.
    Exactly(u64),
    /// So many and more: they were not all counted.
    AtLeast(u64),
}

impl Count {
    /// Where counting ends.
    pub const LIMIT: u64 = 10_000;

    /// What was counted, up to one more than the limit.
    #[must_use]
    pub fn of(counted: u64) -> Self {
        if counted > Self::LIMIT { Self::AtLeast(Self::LIMIT) } else { Self::Exactly(counted) }
    }
}
