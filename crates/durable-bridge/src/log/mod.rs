//! The seam: what a log must be able to do. [`MemoryLog`](crate::MemoryLog) is one, a database is another.

mod draft;
mod error;
mod read;
mod status;

use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::watch;

pub use self::draft::{Appended, Draft, Due, Record};
pub use self::error::{LogError, LogErrorKind};
pub use self::read::{Page, Read, Stored};
pub use self::status::{ConsumerStatus, Count};
use crate::protocol::{Answer, Millis, Position, Refusal, Registered, Registration, Step, Token};

/// A log of events, and the work of its consumers.
///
/// What a log decides is decided by [`protocol`](crate::protocol): a log fetches rows, asks, and stores, in one
/// transaction. Any number of processes may use one log.
pub trait Log: Send + Sync + 'static {
    /// Stores events, all or none, in their order (promises L1, L2).
    fn append(&self, drafts: Vec<Draft>) -> BoxFuture<'_, Result<Vec<Appended>, LogError>>;

    /// Gives positions to the scheduled events that are due, and says when the next one is.
    fn advance(&self) -> BoxFuture<'_, Result<Option<Millis>, LogError>>;

    /// Reads events.
    fn read(&self, read: Read) -> BoxFuture<'_, Result<Page, LogError>>;

    /// Makes a consumer, or joins it.
    fn register(&self, registration: Registration) -> BoxFuture<'_, Result<Result<Registered, Refusal>, LogError>>;

    /// Does one step with a consumer's work.
    fn step(&self, consumer: i64, step: Step) -> BoxFuture<'_, Result<Answer, LogError>>;

    /// Makes claims last for `lease` from now on; returns those that are lost.
    fn renew(&self, tokens: Vec<(i64, Token)>, lease: Duration) -> BoxFuture<'_, Result<Vec<Token>, LogError>>;

    /// How a consumer stands, by its name; `None` if there is none.
    fn status(&self, consumer: String) -> BoxFuture<'_, Result<Option<ConsumerStatus>, LogError>>;

    /// What the log's clock says.
    fn now(&self) -> Millis;

    /// The last position as far as this process knows. A change is a hint that there is something to read: one may be
    /// missing, or come for nothing.
    fn head(&self) -> watch::Receiver<Position>;
}
