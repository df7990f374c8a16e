//! The protocol of claims and settlements: what a worker may take, what its report changes, and what follows from a crash,
//! as functions over values. No clock, no task, no database: engines fetch the [`Rows`] that a step [needs](Needs),
//! ask [`decide`], and store the [`Changes`], all in one transaction.

mod claim;
mod clock;
mod keys;
mod lane;
mod register;
mod retry;
mod rows;
mod settle;
mod span;
mod step;
mod token;

pub use claim::{Claim, Claimed, ClaimedRange, ClaimedSingle, LaneAsk, RangeKind};
pub use clock::{Lease, Millis, Now};
pub(crate) use clock::{millis, wall};
pub use keys::HeldKey;
pub use lane::Lane;
pub use register::{
    ConsumerRow, Difference, OnDead, Refusal, Registered, Registration, Settings, Start, TypeRow, register,
};
pub use retry::{InvalidRetry, Limit, Retry};
pub use rows::{AttemptRow, Changes, ExceptionRow, Finished, Needs, RangeRow, ReceiptRow, Rows, State, Which};
pub use settle::{Ending, Settle, Settled, SettledOne};
pub use span::{Position, Span, Spans};
pub use step::{Answer, Step, decide, needs};
pub use token::Token;
