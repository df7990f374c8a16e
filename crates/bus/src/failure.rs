//! [`HandlerError`] and [`Failure`]: how one handler failed, and which.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::id::SubscriptionId;

/// Any error a handler may return.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Most bytes of a [`HandlerError::reason`].
const LONGEST_REASON: usize = 8 * 1024;

/// Why a handler's call failed (promise B3).
///
/// It is as small as a pointer, so that the outcome of a call that succeeds travels in a register.
#[derive(Debug)]
pub struct HandlerError {
    inner: Box<Inner>,
}

#[derive(Debug)]
struct Inner {
    kind: HandlerErrorKind,
    source: Option<BoxError>,
}

/// The ways in which a handler's call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HandlerErrorKind {
    /// It returned an error; that is the [`source`](Error::source).
    Failed,
    /// It panicked; the [`source`](Error::source) says with what message.
    Panicked,
    /// It took longer than its timeout.
    TimedOut,
    /// It has a queue or a timeout, and there was no tokio runtime to run that on.
    NoRuntime,
    /// Its queue takes nothing more: the bus was shut down while the event was on its way.
    Closed,
}

impl Drop for Inner {
    fn drop(&mut self) {
        discard(self.source.take());
    }
}

impl HandlerError {
    /// What a handler's own error becomes; for layers that make errors of their own.
    pub fn failed(source: impl Into<BoxError>) -> Self {
        Self::new(HandlerErrorKind::Failed, Some(source.into()))
    }

    pub(crate) fn bare(kind: HandlerErrorKind) -> Self {
        Self::new(kind, None)
    }

    pub(crate) fn panicked(payload: Box<dyn Any + Send>) -> Self {
        Self::new(HandlerErrorKind::Panicked, Some(Box::new(PanicMessage::of(payload))))
    }

    fn new(kind: HandlerErrorKind, source: Option<BoxError>) -> Self {
        Self { inner: Box::new(Inner { kind, source }) }
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> HandlerErrorKind {
        self.inner.kind
    }

    /// The error and all its causes as one text, cut at 8 KiB. A `Display` that panics is named, and does not panic here.
    #[must_use]
    pub fn reason(&self) -> String {
        let describe = || {
            let mut text = self.to_string();
            let mut cause = self.source();
            while let Some(error) = cause
                && text.len() < LONGEST_REASON
            {
                text.push_str(": ");
                text.push_str(&error.to_string());
                cause = error.source();
            }
            if text.len() > LONGEST_REASON {
                text.truncate(text.floor_char_boundary(LONGEST_REASON));
                text.push('…');
            }
            text
        };
        catch_unwind(AssertUnwindSafe(describe)).unwrap_or_else(|payload| {
            discard(payload);
            format!("{self}, with an error whose own text panics")
        })
    }
}

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.inner.kind {
            HandlerErrorKind::Failed => "the handler returned an error",
            HandlerErrorKind::Panicked => "the handler panicked",
            HandlerErrorKind::TimedOut => "the handler took longer than its timeout",
            HandlerErrorKind::Closed => "the bus was shut down before the handler's queue took the event",
            HandlerErrorKind::NoRuntime => "the handler needs a tokio runtime and there is none",
        })
    }
}

impl Error for HandlerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.inner.source.as_deref().map(|source| source as _)
    }
}

/// The text of a panic.
#[derive(Debug)]
struct PanicMessage(String);

impl PanicMessage {
    fn of(payload: Box<dyn Any + Send>) -> Self {
        let text = match (payload.downcast_ref::<&'static str>(), payload.downcast_ref::<String>()) {
            (Some(text), _) => (*text).to_owned(),
            (_, Some(text)) => text.clone(),
            _ => "a payload that is not text".to_owned(),
        };
        discard(payload);
        Self(text)
    }
}

impl fmt::Display for PanicMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for PanicMessage {}

/// Drops what belongs to a user, whose `Drop` may panic: the panic ends here (promise B3).
pub(crate) fn discard<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        // The payload of a panic may itself panic when dropped; leaking that one ends the chain.
        std::mem::forget(payload);
    }
}

/// One handler that failed in an emit.
#[derive(Debug)]
pub struct Failure {
    pub(crate) subscription: SubscriptionId,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) error: HandlerError,
}

impl Failure {
    /// The subscription whose handler it was.
    #[must_use]
    pub fn subscription(&self) -> SubscriptionId {
        self.subscription
    }

    /// The name that the subscription was given.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Why it failed.
    #[must_use]
    pub fn error(&self) -> &HandlerError {
        &self.error
    }

    /// Why it failed, with all causes, as one text.
    #[must_use]
    pub fn reason(&self) -> String {
        self.error.reason()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "handler `{name}` (subscription {}) failed", self.subscription),
            None => write!(f, "the handler of subscription {} failed", self.subscription),
        }
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.error)
    }
}
