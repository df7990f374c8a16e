//! The seam to other processes: what carries an event's bytes there and back.
//!
//! A [`Transport`] moves [`Frame`]s and says when its connection goes and comes. All that transports share is in the
//! [link](crate::Link), once: encoding, the outbox, sequence numbers, gaps, echoes, decoding, counts and logs.

mod backoff;
mod error;
mod frame;
pub mod memory;

use std::pin::Pin;
use std::time::Duration;

use futures_core::Stream;

pub use self::backoff::Backoff;
pub use self::error::{TransportError, TransportErrorKind};
pub use self::frame::{Frame, Received};

/// A future that a transport returns.
pub type BoxFuture<'t, T> = Pin<Box<dyn Future<Output = T> + Send + 't>>;

/// What arrives, until the transport is closed.
pub type Incoming = Pin<Box<dyn Stream<Item = Received> + Send>>;

/// Carries frames between the nodes that share a prefix.
///
/// Every frame reaches every node that is subscribed, the sender's own included, at most once, in the order of one sender.
/// A transport reconnects by itself, for ever, with the pauses of [`Backoff`].
pub trait Transport: Send + Sync + 'static {
    /// What the link has to know; asked for at every emit, so it is cheap.
    fn properties(&self) -> Properties<'_>;

    /// Subscribes to everything on the prefix, and resolves when the server has confirmed it: what is published anywhere
    /// after that arrives (promise T1). Called once.
    ///
    /// From then on the stream never fails: an outage is a [`Received::Down`], followed by a [`Received::Up`] when the
    /// subscription is there again (promise T5). A connection that has gone quiet is proved alive by an answered ping
    /// (promise T6).
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    fn subscribe(&self) -> BoxFuture<'_, Result<Incoming, TransportError>>;

    /// Publishes frames in their order. The link has one call under way at a time, and repeats a call that failed, with
    /// the same frames first: nodes that have seen them take no notice.
    ///
    /// # Errors
    /// A [retryable](TransportError::is_retryable) one if the connection is gone, within seconds. Otherwise the frames
    /// cannot be published at all, and the link tries them one by one.
    fn publish<'t>(&'t self, frames: &'t [Frame]) -> BoxFuture<'t, Result<(), TransportError>>;

    /// Waits until the server has everything that was published, and ends the connection, at the latest after `deadline`
    /// (promise T11).
    ///
    /// # Errors
    /// The server did not confirm in time; the connection is ended all the same.
    fn close(&self, deadline: Duration) -> BoxFuture<'_, Result<(), TransportError>>;
}

/// What a link has to know of its transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Properties<'t> {
    /// What keeps the nodes of one program apart from others on the same server.
    pub prefix: &'t str,
    /// The largest payload of a frame that the server takes now, in bytes.
    pub max_payload: usize,
}
