//! [`NatsTransport`]: frames as messages of NATS.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use async_nats::client::traits::Publisher;
use async_nats::connection::State;
use async_nats::message::OutboundMessage;
use async_nats::{Client, HeaderMap};
use oyez_bus::transport::{BoxFuture, Frame, Incoming, Properties, Transport, TransportError, TransportErrorKind};
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};

use crate::builder::NatsBuilder;
use crate::engine::Engine;
use crate::error::not_published;
use crate::fence::fence;
use crate::notices::Notices;
use crate::subjects::Subjects;

/// How long a call waits for the server.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often the connection is looked at while it is gone.
const LOOK: Duration = Duration::from_millis(50);

/// From this size on, each frame is awaited on its way into the socket: the client's queue has no limit of bytes.
const LARGE: usize = 64 * 1024;

/// What CloudEvents calls structured mode, for those who ask for it.
const CONTENT_TYPE: (&str, &str) = ("content-type", "application/cloudevents+json");

/// Carries events over NATS: each under the subject `<prefix>.<name>`, to every node that is connected at that moment.
///
/// The user it logs in as must be allowed to publish and to subscribe to `<prefix>.>`, and needs no other right.
///
/// In a cluster, what is promised of a confirmed subscription (T1) holds for events that are published on the same
/// server; nothing tells when a subscription has spread to the others, which takes some milliseconds.
///
/// Frames that were on their way when a connection broke may be lost; the other nodes are told how many (promise T7).
///
/// The client has a thread of its own, which ends with the transport.
pub struct NatsTransport {
    engine: Engine,
    client: Client,
    subjects: Arc<Subjects>,
    notices: Arc<Notices>,
    headers: Option<HeaderMap>,
    /// In the bytes that the server counts.
    headers_len: usize,
}

impl NatsTransport {
    /// Connects with default settings to the server of a URL such as `nats://host:4222` or `tls://user:password@host`.
    /// Nodes with the same prefix hear each other, and no others.
    ///
    /// # Errors
    /// As [`NatsBuilder::connect`].
    pub async fn connect(url: impl Into<String>, prefix: impl Into<String>) -> Result<Self, TransportError> {
        Self::builder(url, prefix).connect().await
    }

    /// Settings to be changed before they are connected with.
    pub fn builder(url: impl Into<String>, prefix: impl Into<String>) -> NatsBuilder {
        NatsBuilder::new(url, prefix)
    }

    pub(crate) fn new(engine: Engine, client: Client, subjects: Subjects, notices: Arc<Notices>, typed: bool) -> Self {
        let (headers, headers_len) = if typed { content_type() } else { (None, 0) };
        Self { engine, client, subjects: Arc::new(subjects), notices, headers, headers_len }
    }

    async fn hand_over(&self, frames: &[Frame]) -> Result<(), TransportError> {
        self.connected().await?;
        for frame in frames {
            let message = OutboundMessage {
                subject: self.subjects.of(frame.name()),
                reply: None,
                payload: frame.payload().clone(),
                headers: self.headers.clone(),
            };
            // For each frame, not for all: on a slow line, a batch that is always begun again would never end.
            in_time(self.client.publish_message(message)).await.map_err(|_| self.late())?.map_err(not_published)?;
            if frame.payload().len() >= LARGE {
                // Only a pause: it is the client's already.
                _ = timeout(PATIENCE, self.client.flush()).await;
            }
        }
        Ok(())
    }

    /// Waits for the connection, and not for long. A frame is not given to a client without one: in the link's outbox it
    /// counts and is dropped by the rules.
    async fn connected(&self) -> Result<(), TransportError> {
        let connected = async {
            while self.client.connection_state() != State::Connected {
                sleep(LOOK).await;
            }
        };
        timeout(PATIENCE, connected).await.map_err(|_| self.late())
    }

    fn late(&self) -> TransportError {
        match self.client.connection_state() {
            State::Connected => TransportErrorKind::TimedOut.into(),
            State::Pending | State::Disconnected => TransportErrorKind::Unreachable.into(),
        }
    }
}

impl Transport for NatsTransport {
    fn properties(&self) -> Properties<'_> {
        let max_payload = self.client.max_payload().saturating_sub(self.headers_len);
        Properties { prefix: self.subjects.prefix(), max_payload }
    }

    fn subscribe(&self) -> BoxFuture<'_, Result<Incoming, TransportError>> {
        let (subjects, notices) = (Arc::clone(&self.subjects), Arc::clone(&self.notices));
        Box::pin(async move {
            let opening = crate::incoming::Incoming::open(self.client.clone(), subjects, notices);
            let incoming = timeout(PATIENCE, opening).await.map_err(|_| self.late())??;
            Ok(Box::pin(incoming) as Incoming)
        })
    }

    fn publish<'t>(&'t self, frames: &'t [Frame]) -> BoxFuture<'t, Result<(), TransportError>> {
        Box::pin(async move {
            if self.engine.has_ended() {
                return Err(TransportErrorKind::Closed.into());
            }
            self.hand_over(frames).await
        })
    }

    fn close(&self, deadline: Duration) -> BoxFuture<'_, Result<(), TransportError>> {
        Box::pin(async move {
            let confirmed = timeout(deadline, fence(&self.client, self.subjects.hello())).await;
            self.engine.end();
            confirmed.map_err(|error| TransportError::new(TransportErrorKind::TimedOut, error))?
        })
    }
}

/// As [`timeout`], without a timer for what is ready at once, as almost all frames are.
async fn in_time<T>(future: impl Future<Output = T>) -> Result<T, Elapsed> {
    let mut future = pin!(future);
    match poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await {
        Poll::Ready(output) => Ok(output),
        Poll::Pending => timeout(PATIENCE, future).await,
    }
}

fn content_type() -> (Option<HeaderMap>, usize) {
    let (name, value) = CONTENT_TYPE;
    let mut headers = HeaderMap::new();
    headers.insert(name, value);
    (Some(headers), "NATS/1.0\r\n".len() + name.len() + ": ".len() + value.len() + "\r\n\r\n".len())
}

impl fmt::Debug for NatsTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.client.connection_state();
        f.debug_struct("NatsTransport")
            .field("prefix", &self.subjects.prefix())
            .field("state", &state)
            .finish_non_exhaustive()
    }
}
