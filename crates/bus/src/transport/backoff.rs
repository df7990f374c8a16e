//! [`Backoff`]: how long to wait before trying again.

use std::time::Duration;

const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(10);

/// Pauses between attempts to reconnect: each up to twice as long as the one before, from 100 ms to 10 s, with "equal
/// jitter" ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015), so that the nodes of a program do not all come
/// back at the same moment (promise T5).
#[derive(Debug, Clone, Default)]
pub struct Backoff {
    attempt: u32,
}

impl Backoff {
    /// The pause before the next attempt.
    #[must_use]
    pub fn pause(&mut self) -> Duration {
        let pause = Self::after(self.attempt, fastrand::f64());
        self.attempt = self.attempt.saturating_add(1);
        pause
    }

    /// The pause before the attempt that follows `attempt` failed ones, for client libraries that count themselves.
    #[must_use]
    pub fn nth(attempt: usize) -> Duration {
        Self::after(u32::try_from(attempt).unwrap_or(u32::MAX), fastrand::f64())
    }

    /// An attempt has succeeded: the next pause is short again.
    pub fn reset(&mut self) {
        self.attempt = 0;
    }

    /// `random` is from 0 to 1.
    fn after(attempt: u32, random: f64) -> Duration {
        let full = SHORTEST.saturating_mul(2_u32.saturating_pow(attempt.saturating_add(1))).min(LONGEST);
        full / 2 + (full / 2).mul_f64(random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_from_the_shortest_to_the_longest() {
        let bounds = |attempt| (Backoff::after(attempt, 0.0), Backoff::after(attempt, 1.0));
        assert_eq!(bounds(0), (SHORTEST, SHORTEST * 2));
        assert_eq!(bounds(1), (SHORTEST * 2, SHORTEST * 4));
        assert_eq!(bounds(7), (LONGEST / 2, LONGEST));
        assert_eq!(bounds(u32::MAX), (LONGEST / 2, LONGEST));
    }

    #[test]
    fn pauses_are_jittered_and_short_again_after_a_success() {
        let mut backoff = Backoff::default();
        let pauses: Vec<_> = (0..40).map(|_| backoff.pause()).collect();
        assert!(pauses[20..].iter().all(|pause| (LONGEST / 2..=LONGEST).contains(pause)), "{pauses:?}");
        assert!(pauses[20..].iter().any(|pause| *pause != pauses[20]), "{pauses:?}");
        backoff.reset();
        assert!(backoff.pause() <= SHORTEST * 2);
    }
}
