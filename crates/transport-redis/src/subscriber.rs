//! [`Subscriber`]: the connection that listens, and what replaces it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{StreamExt, iter, unfold};
use oyez_bus::transport::{Backoff, Incoming, Received, TransportError, TransportErrorKind};
use redis::cmd;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use crate::connection::{Connection, within};
use crate::resp::Reply;
use crate::settings::Settings;

/// How long the server may take to confirm a subscription.
const CONFIRMED_WITHIN: Duration = Duration::from_secs(5);

/// Listens, until the transport is closed or gone.
pub(crate) struct Subscriber {
    settings: Arc<Settings>,
    closed: watch::Receiver<bool>,
    listening: Option<Listening>,
}

/// A connection that is subscribed.
struct Listening {
    connection: Connection,
    /// When the server had last said something as it was last asked to.
    asked: Option<Instant>,
}

impl Subscriber {
    /// Subscribes; resolves when the server has confirmed it (promise T1).
    pub(crate) async fn start(
        settings: Arc<Settings>,
        closed: watch::Receiver<bool>,
    ) -> Result<Incoming, TransportError> {
        let listening = Some(Listening::start(&settings).await?);
        let subscriber = Self { settings, closed, listening };
        let received = unfold(subscriber, async |mut subscriber| Some((iter(subscriber.next().await?), subscriber)));
        Ok(Box::pin(received.flatten()))
    }

    /// All that is here, as soon as there is something; `None` when the transport is closed.
    async fn next(&mut self) -> Option<Vec<Received>> {
        let mut closed = self.closed.clone();
        let first = tokio::select! {
            biased;
            // An error means that the transport was dropped.
            _ = closed.wait_for(|closed| *closed) => return None,
            received = self.receive() => received,
        };
        let mut received = vec![first];
        while let Some(listening) = &mut self.listening
            && let Ok(Some(Reply::Message(payload))) = listening.connection.buffered()
        {
            received.push(self.frame(payload));
        }
        Some(received)
    }

    async fn receive(&mut self) -> Received {
        let Some(listening) = &mut self.listening else {
            self.listening = Some(Listening::start_again(&self.settings).await);
            return Received::Up;
        };
        match listening.message(self.settings.silence).await {
            Ok(payload) => self.frame(payload),
            Err(error) => {
                tracing::debug!(target: "oyez", prefix = &*self.settings.prefix, reason = %error.kind(), "redis subscriber lost");
                self.listening = None;
                Received::Down
            }
        }
    }

    fn frame(&self, payload: Bytes) -> Received {
        Received::Frame { channel: Arc::clone(&self.settings.prefix), payload }
    }
}

impl Listening {
    async fn start(settings: &Settings) -> Result<Self, TransportError> {
        let mut connection = Connection::open(settings).await?;
        within(CONFIRMED_WITHIN, connection.call("SUBSCRIBE", cmd("SUBSCRIBE").arg(&*settings.prefix))).await?;
        Ok(Self { connection, asked: None })
    }

    /// Tries until the subscription is there again (promise T5).
    async fn start_again(settings: &Settings) -> Self {
        let (mut backoff, mut reason) = (Backoff::default(), None);
        loop {
            sleep(backoff.pause()).await;
            match Self::start(settings).await {
                Ok(listening) => return listening,
                Err(error) if reason == Some(error.kind()) => (),
                Err(error) => {
                    reason = Some(error.kind());
                    tracing::warn!(target: "oyez", prefix = &*settings.prefix, reason = %error.kind(), "no subscription on redis");
                }
            }
        }
    }

    /// The next message. A server that has said nothing for half of `silence` is asked, and one that has said nothing for
    /// all of it is dead (promise T6).
    async fn message(&mut self, silence: Duration) -> Result<Bytes, TransportError> {
        loop {
            let heard = self.connection.heard();
            let asked = self.asked == Some(heard);
            let bound = if asked { silence } else { silence / 2 };
            tokio::select! {
                biased;
                // Any other reply, an error too, is a sign of life.
                reply = self.connection.reply() => if let Reply::Message(payload) = reply? {
                    return Ok(payload);
                },
                () = sleep_until(heard + bound) => {
                    // Part of a long message may have come meanwhile.
                    let silent = self.connection.heard() == heard;
                    if silent && asked {
                        return Err(TransportErrorKind::TimedOut.into());
                    }
                    if silent {
                        self.asked = Some(heard);
                        within(silence / 2, self.connection.ping()).await?;
                    }
                }
            }
        }
    }
}
