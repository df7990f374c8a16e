//! [`TransportError`]: why a transport could not do what it was asked.

use std::error::Error;
use std::fmt;

use crate::failure::BoxError;

/// Why a transport could not do what it was asked. Neither passwords nor payloads are in it (promise T13).
pub struct TransportError {
    kind: TransportErrorKind,
    source: Option<BoxError>,
}

/// What went wrong with a transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// The address, the prefix or another setting makes no sense.
    Config,
    /// There is no connection.
    Unreachable,
    /// The server did not answer in time.
    TimedOut,
    /// The server does not know who this is, or does not let them do this.
    Unauthorized,
    /// The server's certificate, or ours, is not accepted.
    Tls,
    /// The server does not take so large a frame.
    TooLarge,
    /// The transport was closed.
    Closed,
    /// The server answered with something else than expected.
    Protocol,
}

impl TransportError {
    /// An error with its cause.
    pub fn new(kind: TransportErrorKind, source: impl Into<BoxError>) -> Self {
        Self { kind, source: Some(source.into()) }
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> TransportErrorKind {
        self.kind
    }

    /// Whether the same call may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        use TransportErrorKind::{Protocol, TimedOut, Tls, Unauthorized, Unreachable};
        // Rights and certificates are changed while programs run.
        matches!(self.kind, Unreachable | TimedOut | Unauthorized | Tls | Protocol)
    }
}

impl From<TransportErrorKind> for TransportError {
    fn from(kind: TransportErrorKind) -> Self {
        Self { kind, source: None }
    }
}

impl fmt::Display for TransportErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Config => "a setting of the transport makes no sense",
            Self::Unreachable => "the server cannot be reached",
            Self::TimedOut => "the server did not answer in time",
            Self::Unauthorized => "the server refuses these credentials or rights",
            Self::Tls => "no secure connection to the server",
            Self::TooLarge => "the server does not take so large a frame",
            Self::Closed => "the transport is closed",
            Self::Protocol => "the server answered with something unexpected",
        })
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl fmt::Debug for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = self.source.as_ref().map(ToString::to_string);
        f.debug_struct("TransportError").field("kind", &self.kind).field("source", &source).finish()
    }
}

impl Error for TransportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
