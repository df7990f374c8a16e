//! What the client's errors mean to a link.

use std::error::Error;
use std::io;

use async_nats::rustls;
use async_nats::{ConnectError, ConnectErrorKind, PublishError, PublishErrorKind, SubscribeError};
use oyez_bus::transport::{TransportError, TransportErrorKind};

/// The error of a connection that was not made.
pub(crate) fn not_connected(error: ConnectError) -> TransportError {
    let kind = match error.kind() {
        // A seed that signs nothing.
        ConnectErrorKind::ServerParse | ConnectErrorKind::Authentication => TransportErrorKind::Config,
        ConnectErrorKind::AuthorizationViolation => TransportErrorKind::Unauthorized,
        ConnectErrorKind::TimedOut => TransportErrorKind::TimedOut,
        ConnectErrorKind::Tls => TransportErrorKind::Tls,
        ConnectErrorKind::Io if is_tls(&error) => TransportErrorKind::Tls,
        ConnectErrorKind::Io | ConnectErrorKind::Dns | ConnectErrorKind::MaxReconnects => {
            TransportErrorKind::Unreachable
        }
    };
    TransportError::new(kind, error)
}

/// The error of a frame that was not taken.
pub(crate) fn not_published(error: PublishError) -> TransportError {
    let kind = match error.kind() {
        PublishErrorKind::MaxPayloadExceeded => TransportErrorKind::TooLarge,
        PublishErrorKind::InvalidSubject => TransportErrorKind::Config,
        // The client ends when it is told to, and never otherwise.
        PublishErrorKind::Send => TransportErrorKind::Closed,
    };
    TransportError::new(kind, error)
}

/// The error of a subscription that the client did not take.
pub(crate) fn not_subscribed(error: SubscribeError) -> TransportError {
    TransportError::new(TransportErrorKind::Closed, error)
}

/// Whether a handshake failed: the client calls it an I/O error, with rustls's own inside of it.
fn is_tls(error: &ConnectError) -> bool {
    let io_error = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    io_error.and_then(io::Error::get_ref).is_some_and(|cause| cause.is::<rustls::Error>())
}
