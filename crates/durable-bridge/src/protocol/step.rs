//! [`Step`]: one thing that a worker does with a consumer's work.

use crate::protocol::{Changes, Claim, Claimed, Needs, Now, Rows, Settle, Settled, claim, settle};

/// One thing that a worker does, in one transaction.
#[derive(Debug, Clone)]
pub enum Step {
    /// It takes work.
    Claim(Claim),
    /// It reports what it did.
    Settle(Settle),
}

/// What became of a step.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Of [`Step::Claim`].
    Claimed(Claimed),
    /// Of [`Step::Settle`].
    Settled(Settled),
}

/// What must be known to decide a step.
#[must_use]
pub fn needs(step: &Step) -> Needs {
    match step {
        Step::Claim(claim) => claim::needs(claim),
        Step::Settle(settle) => settle::needs(settle),
    }
}

/// What a step changes, and what its worker is told.
#[must_use]
pub fn decide(step: &Step, rows: &Rows, now: Now) -> (Changes, Answer) {
    match step {
        Step::Claim(claim) => {
            let (changes, claimed) = claim::decide(claim, rows, now);
            (changes, Answer::Claimed(claimed))
        }
        Step::Settle(settle) => {
            let (changes, settled) = settle::decide(settle, rows, now);
            (changes, Answer::Settled(settled))
        }
    }
}
