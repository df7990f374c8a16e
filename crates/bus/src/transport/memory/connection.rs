//! [`MemoryTransport`]: a node's connection to a [`Broker`].

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use crate::transport::memory::broker::Broker;
use crate::transport::memory::faults::Faults;
use crate::transport::memory::subscriber::Subscriber;
use crate::transport::memory::wire::Wire;
use crate::transport::{BoxFuture, Frame, Incoming, Properties, Transport, TransportError, TransportErrorKind};

/// A transport to the other nodes of the same process.
pub struct MemoryTransport {
    pub(super) broker: Broker,
    pub(super) wire: Wire,
    pub(super) prefix: Arc<str>,
    pub(super) silence: Duration,
    pub(super) faults: Faults,
    max_payload: usize,
    pub(super) closed: watch::Sender<bool>,
}

impl MemoryTransport {
    pub(super) fn new(broker: Broker, prefix: Arc<str>) -> Self {
        let closed = watch::Sender::new(false);
        let silence = Duration::from_secs(10);
        let wire = Wire::new(broker.clone());
        Self { broker, wire, prefix, silence, faults: Faults::default(), max_payload: 1024 * 1024, closed }
    }

    /// The way between this node and the broker, to be broken.
    #[must_use]
    pub fn wire(&self) -> Wire {
        self.wire.clone()
    }

    /// The largest payload of a frame, in bytes. Default: 1 MiB.
    #[must_use]
    pub fn max_payload(mut self, bytes: usize) -> Self {
        self.max_payload = bytes;
        self
    }

    /// How long a connection may be silent before it counts as dead. Default: 10 s.
    #[must_use]
    pub fn silence(mut self, bound: Duration) -> Self {
        self.silence = bound;
        self
    }

    /// What goes wrong with the frames that this node receives.
    #[must_use]
    pub fn faults(mut self, faults: Faults) -> Self {
        self.faults = faults;
        self
    }

    async fn publish_all(&self, frames: &[Frame]) -> Result<(), TransportError> {
        if *self.closed.borrow() {
            return Err(TransportErrorKind::Closed.into());
        }
        if frames.iter().any(|frame| frame.payload().len() > self.max_payload) {
            return Err(TransportErrorKind::TooLarge.into());
        }
        // A server that is stopped is waited for, up to the bound.
        let answered = timeout(self.silence, self.wire.answers()).await;
        answered.map_err(|elapsed| TransportError::new(TransportErrorKind::TimedOut, elapsed))?;
        self.broker.publish_frames(&self.prefix, &self.wire, frames)
    }
}

impl Transport for MemoryTransport {
    fn properties(&self) -> Properties<'_> {
        Properties { prefix: &self.prefix, max_payload: self.max_payload }
    }

    fn subscribe(&self) -> BoxFuture<'_, Result<Incoming, TransportError>> {
        Box::pin(async { Ok(Subscriber::new(self)?.incoming()) })
    }

    fn publish<'t>(&'t self, frames: &'t [Frame]) -> BoxFuture<'t, Result<(), TransportError>> {
        Box::pin(self.publish_all(frames))
    }

    /// What was published is with the subscribers already.
    fn close(&self, _deadline: Duration) -> BoxFuture<'_, Result<(), TransportError>> {
        Box::pin(async {
            self.closed.send_replace(true);
            Ok(())
        })
    }
}

impl fmt::Debug for MemoryTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryTransport").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}
