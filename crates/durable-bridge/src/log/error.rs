//! [`LogError`]: why a log did not do what it was asked for.

use std::fmt;

use oyez_bus::BoxError;

/// A log did not do what it was asked for.
#[derive(Debug)]
pub struct LogError {
    kind: LogErrorKind,
    source: Option<BoxError>,
}

/// What a caller would do differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LogErrorKind {
    /// It cannot be reached, or is too busy: nothing was changed, and trying again may help.
    Unavailable,
    /// The connection was cut at the wrong moment: nobody knows whether it was done. Doing it again with the same ids is
    /// safe.
    Unknown,
    /// An event with this id, or with this name and idempotency key, is there with another payload.
    Conflict,
    /// The payload is larger than the log allows.
    TooLarge,
    /// There is more in the log than it may hold.
    Full,
    /// The disk is full, or the log may not be written.
    ReadOnly,
    /// This is no log, or one of another version.
    Incompatible,
    /// The consumer is not known.
    NoConsumer,
    /// The log is closed.
    Closed,
    /// Something that should not happen.
    Broken,
}

impl LogError {
    /// An error without a cause.
    #[must_use]
    pub fn new(kind: LogErrorKind) -> Self {
        Self { kind, source: None }
    }

    /// An error with its cause.
    #[must_use]
    pub fn because(kind: LogErrorKind, source: impl Into<BoxError>) -> Self {
        Self { kind, source: Some(source.into()) }
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> LogErrorKind {
        self.kind
    }

    /// Whether trying again may help.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self.kind, LogErrorKind::Unavailable | LogErrorKind::Unknown)
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            LogErrorKind::Unavailable => "the log cannot be reached",
            LogErrorKind::Unknown => "the connection to the log was cut, and it is not known whether it was done",
            LogErrorKind::Conflict => "an event with this id or idempotency key is there with another payload",
            LogErrorKind::TooLarge => "the payload is larger than the log allows",
            LogErrorKind::Full => "there is more in the log than it may hold",
            LogErrorKind::ReadOnly => "the log cannot be written",
            LogErrorKind::Incompatible => "this is no log that this version of oyez can use",
            LogErrorKind::NoConsumer => "the log has no such consumer",
            LogErrorKind::Closed => "the log is closed",
            LogErrorKind::Broken => "the log is in a state that should not be",
        })
    }
}

impl std::error::Error for LogError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
