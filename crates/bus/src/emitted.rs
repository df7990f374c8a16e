//! [`Emitted`]: what became of an event that was emitted.

use std::fmt;

use crate::failure::Failure;

/// What became of an event: how many handlers took it, and which failed.
///
/// A failing handler does not make `emit` fail (promise B3); [`into_result`](Emitted::into_result) is for callers who
/// want that.
#[derive(Debug, Default)]
pub struct Emitted {
    pub(crate) delivered: usize,
    #[expect(clippy::box_collection, reason = "one pointer: nearly every emit has none, and moves its outcome around")]
    failures: Option<Box<Vec<Failure>>>,
}

impl Emitted {
    #[cold]
    pub(crate) fn failed(&mut self, failure: Failure) {
        self.failures.get_or_insert_default().push(failure);
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
        self.failures.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Turns failures into an error.
    ///
    /// # Errors
    /// At least one handler failed.
    pub fn into_result(self) -> Result<Self, HandlersFailed> {
        if self.failures.is_none() { Ok(self) } else { Err(HandlersFailed { emitted: self }) }
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
