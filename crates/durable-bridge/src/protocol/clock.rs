//! [`Now`] and [`Lease`]: the two clocks of an engine.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 (UTC) by the engine's clock, or of a lease's clock.
pub type Millis = i64;

/// What an engine's clocks say at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// The time of day, for what is due and for what is shown.
    pub wall: Millis,
    /// The clock that leases are judged by, which nobody sets back.
    pub lease: Lease,
}

/// A moment of the clock that leases are judged by: milliseconds since `boot`, the start of the machine or the database.
/// Moments of different boots cannot be compared: what was claimed before the last one is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lease {
    /// Which boot.
    pub boot: i64,
    /// Milliseconds since then.
    pub at: Millis,
}

impl Lease {
    /// A moment in the past of every clock.
    pub const OVER: Self = Self { boot: 0, at: 0 };

    /// The moment `time` later.
    #[must_use]
    pub fn after(self, time: Duration) -> Self {
        Self { at: self.at.saturating_add(millis(time)), ..self }
    }

    /// Whether a lease until this moment is over at `now`.
    #[must_use]
    pub fn is_over(self, now: Now) -> bool {
        self.boot != now.lease.boot || self.at <= now.lease.at
    }
}

/// A duration in whole milliseconds, not more than what a column stores.
pub(crate) fn millis(time: Duration) -> Millis {
    Millis::try_from(time.as_millis()).unwrap_or(Millis::MAX)
}

/// A moment as milliseconds since 1970.
pub(crate) fn wall(time: SystemTime) -> Millis {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => millis(since),
        Err(before) => -millis(before.duration()),
    }
}
