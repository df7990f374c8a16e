//! Faults that people met in other event systems, each as a test that bears its number.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "what is missing fails the test, also in a helper of tests"
)]
#![expect(
    clippy::unit_arg,
    reason = "the future of a handler that is done when it is called is `ready` of what it did"
)]

#[path = "../common/flavour.rs"]
mod flavour;
#[path = "../common/gate.rs"]
mod gate;
#[path = "../common/journal.rs"]
mod journal;
#[path = "../common/log_lines.rs"]
mod log_lines;

mod failures;
mod growth;
mod once_race;
mod overlap;
mod patterns;
mod reentrant;
