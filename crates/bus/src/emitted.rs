//! [`Emitted`]: what became of an event that was emitted.

use std::fmt;
use std::sync::Arc;

use crate::event::EncodeError;
use crate::failure::Failure;

/// What became of an event: how many handlers took it, and which failed.
///
/// A failing handler does not make `emit` fail (promise B3); [`into_result`](Emitted::into_result) is for callers who
/// want that.
#[derive(Debug, Default)]
pub struct Emitted {
    pub(crate) delivered: usize,
    /// One pointer: nearly every emit has none, and moves its outcome around.
    exceptions: Option<Box<Exceptions>>,
}

#[derive(Debug, Default)]
struct Exceptions {
    failures: Vec<Failure>,
    links: Vec<NotSent>,
}

impl Emitted {
    #[cold]
    pub(crate) fn failed(&mut self, failure: Failure) {
        self.exceptions.get_or_insert_default().failures.push(failure);
    }

    #[cold]
    pub(crate) fn not_sent(&mut self, links: Vec<NotSent>) {
        self.exceptions.get_or_insert_default().links = links;
    }

    /// How many handlers finished without failing, or took the event into their queue.
    #[must_use]
    pub fn delivered(&self) -> usize {
        self.delivered
    }

    /// The handlers that failed. Those with a queue fail later, and are seen in
    /// [`EventBus::listeners`](crate::EventBus::listeners) and the log only.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        self.exceptions.as_deref().map_or(&[], |exceptions| &exceptions.failures)
    }

    /// The links that did not take the event, and why; empty if every link took it. Being taken does not mean being
    /// received: a broadcast is at most once, and what it loses is told to the nodes that miss it (promise T7).
    #[must_use]
    pub fn links(&self) -> &[NotSent] {
        self.exceptions.as_deref().map_or(&[], |exceptions| &exceptions.links)
    }

    /// Turns failures into an error.
    ///
    /// # Errors
    /// At least one handler failed.
    pub fn into_result(self) -> Result<Self, HandlersFailed> {
        if self.failures().is_empty() { Ok(self) } else { Err(HandlersFailed { emitted: self }) }
    }
}

/// A link did not take an event.
#[derive(Debug, Clone)]
pub struct NotSent {
    link: Arc<str>,
    reason: NotSentReason,
}

/// Why a link did not take an event.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum NotSentReason {
    /// It is too large for the server (promise T8).
    Refused {
        /// The size of its frame, in bytes.
        size: usize,
        /// The largest that the server takes, in bytes.
        limit: usize,
    },
    /// It cannot be written as JSON.
    Unencodable(EncodeError),
    /// The outbox is full, and keeps what it has.
    Dropped,
    /// The link is being closed.
    Closed,
}

impl NotSent {
    pub(crate) fn new(link: Arc<str>, reason: NotSentReason) -> Self {
        Self { link, reason }
    }

    /// The link's [id](crate::Link::id).
    #[must_use]
    pub fn link(&self) -> &str {
        &self.link
    }

    /// Why.
    #[must_use]
    pub fn reason(&self) -> &NotSentReason {
        &self.reason
    }
}

impl fmt::Display for NotSentReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { size, limit } => write!(f, "its frame of {size} bytes is larger than the server's {limit}"),
            Self::Unencodable(error) => error.fmt(f),
            Self::Dropped => f.write_str("the outbox is full"),
            Self::Closed => f.write_str("the link is being closed"),
        }
    }
}

/// At least one handler failed.
#[derive(Debug)]
pub struct HandlersFailed {
    emitted: Emitted,
}

impl HandlersFailed {
    /// The whole outcome.
    #[must_use]
    pub fn emitted(&self) -> &Emitted {
        &self.emitted
    }
}

impl fmt::Display for HandlersFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failed = self.emitted.failures().len();
        write!(f, "{failed} of {} handlers failed", failed + self.emitted.delivered)
    }
}

impl std::error::Error for HandlersFailed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.emitted.failures().first().map(|failure| failure as _)
    }
}
