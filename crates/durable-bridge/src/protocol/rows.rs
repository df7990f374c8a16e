//! What engines store about a consumer's work, what a step needs of it, and what it changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::protocol::{Lane, Lease, Millis, Position, Span, Token};

/// An open claim on new positions: those of one lane, or of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeRow {
    /// The lane whose events it is about.
    pub lane: Lane,
    /// Its positions; of one consumer and lane, no two rows overlap.
    pub span: Span,
    /// Who has it; `None` if it was given back.
    pub token: Option<Token>,
    /// The worker's name, to look at.
    pub worker: Arc<str>,
    /// How often it was claimed, this time included.
    pub attempt: u32,
    /// When it was claimed.
    pub claimed_at: Millis,
    /// Until when nobody else may have it.
    pub lease_until: Lease,
}

/// Positions of a lane that are settled. What is not done among them has an [`ExceptionRow`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiptRow {
    /// The lane.
    pub lane: Lane,
    /// The positions.
    pub span: Span,
    /// Which worker did it.
    pub worker: Arc<str>,
    /// At which attempt.
    pub attempt: u32,
    /// When the claim began.
    pub started: Millis,
    /// When it was settled.
    pub finished: Millis,
}

/// The state of one event for one consumer; the names are the same on every engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum State {
    /// It is not due yet, and in nobody's log.
    Scheduled,
    /// Nobody has claimed it yet.
    Waiting,
    /// A worker has it.
    Running,
    /// It failed, or its worker was lost, and it is tried again when it is due.
    Retrying,
    /// It waits for an earlier event of its key, or for a type this program does not know.
    Parked,
    /// It was handled.
    Done,
    /// The handler said that it is not for it.
    Skipped,
    /// An operator took it back.
    Cancelled,
    /// It failed too often, or for good.
    Dead,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Scheduled,
        Self::Waiting,
        Self::Running,
        Self::Retrying,
        Self::Parked,
        Self::Done,
        Self::Skipped,
        Self::Cancelled,
        Self::Dead,
    ];

    /// Its name, in lower case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Retrying => "retrying",
            Self::Parked => "parked",
            Self::Done => "done",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
            Self::Dead => "dead",
        }
    }

    /// The state with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// A delivery that did not simply succeed: it has a row of its own, which stands above any receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExceptionRow {
    /// The event.
    pub position: Position,
    /// Its lane, or all for a consumer without an order.
    pub lane: Lane,
    /// Its key, if the consumer is ordered.
    pub key: Option<Arc<str>>,
    /// `Running`, `Retrying`, `Parked`, `Skipped`, `Cancelled` or `Dead`.
    pub state: State,
    /// How often it was started.
    pub attempt: u32,
    /// The most attempts it has; 0 for no limit.
    pub limit: u32,
    /// Its worker was lost: it runs with no other event beside it, until it is settled.
    pub isolated: bool,
    /// Whether it holds back the later events of its key.
    pub holds: bool,
    /// When it is tried again, if it is `Retrying`.
    pub due: Millis,
    /// Who has it, if it is `Running`.
    pub token: Option<Token>,
    /// Which worker had it last.
    pub worker: Arc<str>,
    /// When it was claimed last.
    pub claimed_at: Millis,
    /// Until when nobody else may have it.
    pub lease_until: Lease,
    /// What a program must be able to read before it may take this: `name@version`.
    pub wants: Option<Arc<str>>,
    /// Why it failed first.
    pub first_error: Option<Arc<str>>,
    /// Why it failed last.
    pub last_error: Option<Arc<str>>,
}

impl ExceptionRow {
    /// The attempt that ends now.
    pub(super) fn attempted(&self, finished: Millis, finished_as: Finished, error: Option<Arc<str>>) -> AttemptRow {
        let Self { position, attempt, claimed_at: started, .. } = *self;
        AttemptRow { position, attempt, worker: Arc::clone(&self.worker), started, finished, finished_as, error }
    }
}

/// One attempt of an exception. Engines keep the newest ten of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRow {
    /// The event.
    pub position: Position,
    /// Which attempt.
    pub attempt: u32,
    /// Which worker.
    pub worker: Arc<str>,
    /// When it was claimed.
    pub started: Millis,
    /// When it was settled.
    pub finished: Millis,
    /// How it ended.
    pub finished_as: Finished,
    /// Why it failed.
    pub error: Option<Arc<str>>,
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Finished {
    /// It succeeded.
    Done,
    /// It was skipped.
    Skipped,
    /// It failed.
    Failed,
    /// It failed for good.
    Dead,
    /// Its worker was lost.
    Lost,
}

impl Finished {
    /// Its name, in lower case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
            Self::Dead => "dead",
            Self::Lost => "lost",
        }
    }
}

/// Which rows of a kind a step needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Which {
    /// None.
    #[default]
    None,
    /// Those of one token.
    Of(Token),
    /// All.
    All,
}

/// What a step must know of one consumer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// Which open ranges.
    pub ranges: Which,
    /// Which running exceptions.
    pub running: Which,
    /// How many retrying exceptions that are due and not isolated: the earliest due, then the lowest position.
    pub due: usize,
    /// Whether the first isolated one is asked for too.
    pub alone: bool,
    /// The lanes of which the last claimed or settled position is asked for.
    pub heads: Vec<Lane>,
    /// The keys of which the two lowest exceptions that hold are asked for.
    pub keys: Vec<Arc<str>>,
}

/// What a step needs, as it stands in the log now.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// Nothing may be started.
    pub paused: bool,
    /// Counts the changes of the consumer's types.
    pub types: u32,
    /// The open ranges asked for.
    pub ranges: Vec<RangeRow>,
    /// The running exceptions asked for.
    pub running: Vec<ExceptionRow>,
    /// The exceptions that are due.
    pub due: Vec<ExceptionRow>,
    /// The first isolated exception that is due.
    pub alone: Option<ExceptionRow>,
    /// When the first retrying exception is due, if one was asked for.
    pub next_due: Option<Millis>,
    /// The last position of each lane asked for that is in an open range, a receipt, or before the consumer's start.
    pub heads: BTreeMap<Lane, Position>,
    /// The exceptions of the keys asked for, ascending.
    pub keyed: Vec<ExceptionRow>,
}

/// What a step writes. An engine deletes first, then puts; a row put replaces the one of the same position, or of the same
/// lane and first position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Ranges to delete, by lane and first position.
    pub ranges_deleted: Vec<(Lane, Position)>,
    /// Ranges to put.
    pub ranges: Vec<RangeRow>,
    /// Receipts to add.
    pub receipts: Vec<ReceiptRow>,
    /// Exceptions to delete.
    pub exceptions_deleted: Vec<Position>,
    /// Exceptions to put.
    pub exceptions: Vec<ExceptionRow>,
    /// Attempts to add.
    pub attempts: Vec<AttemptRow>,
}

impl Changes {
    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
