//! [`LogRate`]: at most one log line a second for what may happen a million times.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug, Default)]
pub(crate) struct LogRate {
    state: Mutex<(Option<Instant>, u64)>,
}

impl LogRate {
    /// Counts one; the number since the last line, if a line is due.
    pub(crate) fn tick(&self) -> Option<u64> {
        let now = Instant::now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.1 += 1;
        let due = state.0.is_none_or(|last| now.duration_since(last) >= Duration::from_secs(1));
        due.then(|| {
            state.0 = Some(now);
            std::mem::take(&mut state.1)
        })
    }
}
