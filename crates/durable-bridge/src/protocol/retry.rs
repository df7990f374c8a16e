//! [`Retry`]: when a delivery that failed is tried again, and how often.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The longest pause: a hundred years.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// When a delivery that failed is tried again, and how often it is tried at all (promise L5).
#[derive(Clone, Serialize, Deserialize)]
pub struct Retry {
    pause: Pause,
    attempts: Limit,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Pause {
    Exponential {
        base: Duration,
        factor: f64,
        cap: Duration,
        jitter: f64,
    },
    Fixed(Duration),
    List(Vec<Duration>),
    #[serde(skip)]
    Function(Arc<dyn Fn(u32) -> Duration + Send + Sync>),
}

/// How often a delivery is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// So often, the first time included; then it is dead.
    Attempts(u32),
    /// For ever.
    Unlimited,
}

impl Limit {
    /// The number of attempts; 0 for no limit.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::Attempts(attempts) => attempts,
            Self::Unlimited => 0,
        }
    }
}

/// A [`Retry`] makes no sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidRetry {
    /// There must be one attempt.
    #[error("a delivery has at least one attempt")]
    NoAttempts,
    /// The factor is not a number from 1 up.
    #[error("the factor of an exponential pause is a number from 1 up")]
    Factor,
    /// The jitter is not a number from 0 to 1.
    #[error("the jitter is a part of the pause, from 0 to 1")]
    Jitter,
    /// The cap is below the base.
    #[error("the cap of an exponential pause is not below its base")]
    Cap,
    /// A pause is longer than a hundred years.
    #[error("a pause is at most a hundred years")]
    TooLong,
    /// The list of pauses is empty.
    #[error("the list of pauses is empty")]
    EmptyList,
}

impl Retry {
    /// Pauses that begin with `base` and double, up to an hour, each longer by a random part of up to a fifth; five
    /// attempts.
    #[must_use]
    pub fn exponential(base: Duration) -> Self {
        let cap = Duration::from_secs(3600).max(base);
        Self::new(Pause::Exponential { base, factor: 2.0, cap, jitter: 0.2 })
    }

    /// The same pause each time; five attempts. Zero is the next time the worker looks.
    #[must_use]
    pub fn fixed(pause: Duration) -> Self {
        Self::new(Pause::Fixed(pause))
    }

    /// The pause after the first attempt, after the second and so on; the last one repeats. Five attempts.
    #[must_use]
    pub fn list(pauses: impl IntoIterator<Item = Duration>) -> Self {
        Self::new(Pause::List(pauses.into_iter().collect()))
    }

    /// The pause after attempt 1, 2 and so on is what the function says; five attempts. If it panics, or says more than a
    /// hundred years, the pause is that of the default, with a warning.
    #[must_use]
    pub fn by(pause: impl Fn(u32) -> Duration + Send + Sync + 'static) -> Self {
        Self::new(Pause::Function(Arc::new(pause)))
    }

    fn new(pause: Pause) -> Self {
        Self { pause, attempts: Limit::Attempts(5) }
    }

    /// By what an exponential pause grows; 2 if not given.
    #[must_use]
    pub fn factor(mut self, by: f64) -> Self {
        if let Pause::Exponential { factor, .. } = &mut self.pause {
            *factor = by;
        }
        self
    }

    /// The longest exponential pause; an hour if not given.
    #[must_use]
    pub fn cap(mut self, longest: Duration) -> Self {
        if let Pause::Exponential { cap, .. } = &mut self.pause {
            *cap = longest;
        }
        self
    }

    /// The part of an exponential pause, from 0 to 1, by which it is made longer at random; 0.2 if not given.
    #[must_use]
    pub fn jitter(mut self, part: f64) -> Self {
        if let Pause::Exponential { jitter, .. } = &mut self.pause {
            *jitter = part;
        }
        self
    }

    /// How often a delivery is tried, the first time included.
    #[must_use]
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.attempts = Limit::Attempts(attempts);
        self
    }

    /// A delivery is tried for ever.
    #[must_use]
    pub fn unlimited(mut self) -> Self {
        self.attempts = Limit::Unlimited;
        self
    }

    /// How often a delivery is tried.
    #[must_use]
    pub fn limit(&self) -> Limit {
        self.attempts
    }

    /// Says what makes no sense, if anything.
    ///
    /// # Errors
    /// The first thing found.
    pub fn check(&self) -> Result<(), InvalidRetry> {
        if self.attempts == Limit::Attempts(0) {
            return Err(InvalidRetry::NoAttempts);
        }
        match &self.pause {
            Pause::Exponential { factor, .. } if !(*factor >= 1.0 && factor.is_finite()) => Err(InvalidRetry::Factor),
            Pause::Exponential { jitter, .. } if !(0.0..=1.0).contains(jitter) => Err(InvalidRetry::Jitter),
            Pause::Exponential { base, cap, .. } if cap < base => Err(InvalidRetry::Cap),
            Pause::Exponential { cap: longest, .. } | Pause::Fixed(longest) if *longest > LONGEST => {
                Err(InvalidRetry::TooLong)
            }
            Pause::List(pauses) if pauses.is_empty() => Err(InvalidRetry::EmptyList),
            Pause::List(pauses) if pauses.iter().any(|pause| *pause > LONGEST) => Err(InvalidRetry::TooLong),
            _ => Ok(()),
        }
    }

    /// The pause after a failed attempt, counted from 1. `random` from 0 to 1 places it inside of the jitter's range.
    ///
    /// It is never below the base, never above the cap, and without jitter never shorter than the one before.
    #[must_use]
    pub fn pause(&self, attempt: u32, random: f64) -> Duration {
        let attempt = attempt.max(1);
        match &self.pause {
            Pause::Exponential { base, factor, cap, jitter } => {
                let grown = base.as_secs_f64() * factor.powf(f64::from(attempt - 1)) * (1.0 + jitter * random);
                // Not a number, or more than a duration holds: that is beyond any cap.
                Duration::try_from_secs_f64(grown).unwrap_or(*cap).clamp(*base, (*cap).max(*base)).min(LONGEST)
            }
            Pause::Fixed(pause) => (*pause).min(LONGEST),
            Pause::List(pauses) => {
                let at = (attempt as usize - 1).min(pauses.len().saturating_sub(1));
                pauses.get(at).copied().unwrap_or_default().min(LONGEST)
            }
            Pause::Function(function) => match catch_unwind(AssertUnwindSafe(|| function(attempt))) {
                Ok(pause) if pause <= LONGEST => pause,
                _ => {
                    tracing::warn!(target: "oyez", attempt, "the retry function gave no usable pause; the default is taken");
                    Self::default().pause(attempt, random)
                }
            },
        }
    }
}

impl Default for Retry {
    /// Pauses of five seconds that double, up to an hour; five attempts.
    fn default() -> Self {
        Self::exponential(Duration::from_secs(5))
    }
}

impl fmt::Debug for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Retry");
        match &self.pause {
            Pause::Exponential { base, factor, cap, jitter } => {
                out.field("base", base).field("factor", factor).field("cap", cap).field("jitter", jitter)
            }
            Pause::Fixed(pause) => out.field("fixed", pause),
            Pause::List(pauses) => out.field("list", pauses),
            Pause::Function(_) => out.field("pause", &"a function"),
        };
        out.field("attempts", &self.attempts).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn c47_pauses_neither_overflow_nor_shrink() {
        let retry = Retry::exponential(SECOND).max_attempts(200);
        let mut before = Duration::ZERO;
        for attempt in [0, 1, 31, 32, 63, 64, 65, 128, 200, u32::MAX] {
            let (low, high) = (retry.pause(attempt, 0.0), retry.pause(attempt, 1.0));
            assert!(low >= before && low >= SECOND && high >= low && high <= Duration::from_secs(3600), "{attempt}");
            before = low;
        }
        assert_eq!(before, Duration::from_secs(3600));
        let huge = Retry::exponential(Duration::MAX);
        assert_eq!(huge.pause(u32::MAX, 1.0), LONGEST);
    }

    #[test]
    fn c47_settings_that_make_no_sense_are_refused() {
        let base = || Retry::exponential(SECOND);
        let refused = [
            (Retry::exponential(Duration::MAX), InvalidRetry::TooLong),
            (base().factor(0.0), InvalidRetry::Factor),
            (base().factor(f64::NAN), InvalidRetry::Factor),
            (base().factor(f64::INFINITY), InvalidRetry::Factor),
            (base().jitter(-0.1), InvalidRetry::Jitter),
            (base().jitter(f64::NAN), InvalidRetry::Jitter),
            (base().cap(SECOND / 2), InvalidRetry::Cap),
            (base().max_attempts(0), InvalidRetry::NoAttempts),
            (Retry::fixed(Duration::MAX), InvalidRetry::TooLong),
            (Retry::list([]), InvalidRetry::EmptyList),
            (Retry::list([SECOND, Duration::MAX]), InvalidRetry::TooLong),
        ];
        for (retry, why) in refused {
            assert_eq!(retry.check(), Err(why), "{retry:?}");
        }
        assert_eq!(base().check(), Ok(()));
    }

    #[test]
    fn the_last_pause_of_a_list_repeats() {
        let retry = Retry::list([SECOND, SECOND * 10]);
        assert_eq!([1, 2, 3, 9].map(|attempt| retry.pause(attempt, 0.5).as_secs()), [1, 10, 10, 10]);
    }

    #[test]
    fn a_bad_function_falls_back() {
        let retry = Retry::by(|attempt| if attempt == 1 { panic!("no") } else { Duration::MAX });
        let default = Retry::default();
        assert_eq!([1, 2].map(|attempt| retry.pause(attempt, 0.0)), [1, 2].map(|attempt| default.pause(attempt, 0.0)));
    }
}
