//! [`Tally`]: how many events of a burst have arrived, when the last did, and how long each was on its way.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock;

#[derive(Debug, Default)]
pub(super) struct Tally {
    burst: Mutex<Burst>,
    complete: Condvar,
}

#[derive(Debug, Default)]
struct Burst {
    expected: usize,
    received: usize,
    finished_at: u64,
    /// Nanoseconds; none unless they were asked for.
    latencies: Option<Vec<u64>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Heard {
    pub(super) received: usize,
    /// When the last one that was expected arrived, by the shared clock.
    pub(super) finished_at: u64,
    /// In nanoseconds.
    pub(super) p50: u64,
    pub(super) p99: u64,
}

impl Tally {
    pub(super) fn expect(&self, expected: usize, timed: bool) {
        let latencies = timed.then(|| Vec::with_capacity(expected));
        *self.lock() = Burst { expected, received: 0, finished_at: 0, latencies };
    }

    pub(super) fn take(&self, sent_at: u64) {
        let mut burst = self.lock();
        burst.received += 1;
        if let Some(latencies) = &mut burst.latencies {
            latencies.push(clock::now().saturating_sub(sent_at));
        }
        if burst.received == burst.expected {
            burst.finished_at = clock::now();
            self.complete.notify_all();
        }
    }

    /// What has arrived when the burst is complete, or after `longest`.
    pub(super) fn heard(&self, longest: Duration) -> Heard {
        let waits = |burst: &mut Burst| burst.received < burst.expected;
        let waited = self.complete.wait_timeout_while(self.lock(), longest, waits);
        let (mut burst, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let (received, finished_at) = (burst.received, burst.finished_at);
        let latencies = burst.latencies.as_deref_mut().unwrap_or_default();
        latencies.sort_unstable();
        Heard { received, finished_at, p50: share(latencies, 50), p99: share(latencies, 99) }
    }

    fn lock(&self) -> MutexGuard<'_, Burst> {
        self.burst.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The least figure that so many percent do not exceed.
fn share(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_figure_that_was_measured() {
        let figures: Vec<u64> = (1..=200).collect();
        assert_eq!((share(&figures, 50), share(&figures, 99)), (100, 198));
        assert_eq!((share(&[7], 50), share(&[7], 99), share(&[], 50)), (7, 7, 0));
    }

    #[test]
    fn a_burst_is_complete_with_its_last_event() {
        let tally = Tally::default();
        tally.expect(2, true);
        tally.take(clock::now());
        assert_eq!(tally.heard(Duration::ZERO).finished_at, 0);
        tally.take(0);
        let heard = tally.heard(Duration::ZERO);
        assert!(heard.received == 2 && heard.finished_at > 0 && heard.p99 > heard.p50, "{heard:?}");
    }
}
