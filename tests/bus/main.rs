//! The promises of the bus, each by its number: order, isolation, re-entrancy, names and context.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "what is missing fails the test, also in a helper of tests"
)]
#![expect(
    clippy::unit_arg,
    reason = "the future of a handler that is done when it is called is `ready` of what it did"
)]

#[path = "../common/bomb.rs"]
mod bomb;
#[path = "../common/flavour.rs"]
mod flavour;
#[path = "../common/gate.rs"]
mod gate;
#[path = "../common/journal.rs"]
mod journal;
#[path = "../common/log_lines.rs"]
mod log_lines;

mod cancellation;
mod concurrency;
mod context;
mod drops;
mod during_emit;
mod faults;
mod isolation;
mod line;
mod lineage;
mod locks;
mod model;
mod names;
mod off;
mod once;
mod order;
mod patterns;
mod ping_pong;
mod reentrancy;
mod secrets;
