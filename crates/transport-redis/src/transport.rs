//! [`RedisTransport`]: the seam, over a publishing and a subscribing connection.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use oyez_bus::transport::{BoxFuture, Frame, Incoming, Properties, Transport, TransportError, TransportErrorKind};
use tokio::sync::{Mutex, watch};
use tokio::time::timeout;

use crate::builder::RedisBuilder;
use crate::connection::Connection;
use crate::publisher::Publisher;
use crate::settings::Settings;
use crate::subscriber::Subscriber;

/// Broadcast over Redis pub/sub, on the channel that is called as the prefix.
///
/// It reconnects by itself, for ever. Redis keeps nothing for a node that is not connected: what is published during an
/// outage is lost, and the link says how much (promise T7). Dropping it ends its connections.
pub struct RedisTransport {
    settings: Arc<Settings>,
    publisher: Mutex<Publisher>,
    /// Whether it is closed; the subscriber's stream and a publish under way listen.
    closed: watch::Sender<bool>,
}

impl RedisTransport {
    /// Connects to the server at `url` (`redis://[user:password@]host[:port][/database]`, `rediss://` with TLS,
    /// `unix:///path`), to share events with all nodes that use the same `prefix`.
    ///
    /// # Errors
    /// As [`RedisBuilder::connect`].
    pub async fn connect(url: impl Into<String>, prefix: impl Into<String>) -> Result<Self, TransportError> {
        Self::builder(url, prefix).connect().await
    }

    /// As [`connect`](Self::connect), with other settings.
    pub fn builder(url: impl Into<String>, prefix: impl Into<String>) -> RedisBuilder {
        RedisBuilder::new(url.into(), prefix.into())
    }

    pub(crate) async fn open(settings: Settings) -> Result<Self, TransportError> {
        let connection = Connection::open(&settings).await?;
        let publisher = Mutex::new(Publisher::new(&settings.prefix, connection));
        Ok(Self { settings: Arc::new(settings), publisher, closed: watch::Sender::new(false) })
    }

    async fn publish_until_closed(&self, frames: &[Frame]) -> Result<(), TransportError> {
        let mut closed = self.closed.subscribe();
        tokio::select! {
            biased;
            _ = closed.wait_for(|closed| *closed) => Err(TransportErrorKind::Closed.into()),
            published = async { self.publisher.lock().await.publish(&self.settings, frames).await } => published,
        }
    }

    /// A publish under way is waited for; what was answered before is with the server.
    async fn close_within(&self, deadline: Duration) -> Result<(), TransportError> {
        let idle = timeout(deadline, self.publisher.lock()).await;
        self.closed.send_replace(true);
        match idle {
            Ok(mut publisher) => {
                publisher.close();
                Ok(())
            }
            Err(_) => Err(TransportErrorKind::TimedOut.into()),
        }
    }
}

impl Transport for RedisTransport {
    fn properties(&self) -> Properties<'_> {
        Properties { prefix: &self.settings.prefix, max_payload: self.settings.max_payload }
    }

    fn subscribe(&self) -> BoxFuture<'_, Result<Incoming, TransportError>> {
        Box::pin(Subscriber::start(Arc::clone(&self.settings), self.closed.subscribe()))
    }

    fn publish<'t>(&'t self, frames: &'t [Frame]) -> BoxFuture<'t, Result<(), TransportError>> {
        Box::pin(self.publish_until_closed(frames))
    }

    fn close(&self, deadline: Duration) -> BoxFuture<'_, Result<(), TransportError>> {
        Box::pin(self.close_within(deadline))
    }
}

impl fmt::Debug for RedisTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the server: its password is with it.
        f.debug_struct("RedisTransport")
            .field("prefix", &self.settings.prefix)
            .field("max_payload", &self.settings.max_payload)
            .field("silence", &self.settings.silence)
            .finish_non_exhaustive()
    }
}
