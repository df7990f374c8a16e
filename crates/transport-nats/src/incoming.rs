//! [`Incoming`]: the subscription's messages, and when its connection goes and comes.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use async_nats::client::Statistics;
use async_nats::connection::State;
use async_nats::message::OutboundMessage;
use async_nats::{Client, Message, Subject, Subscriber};
use bytes::Bytes;
use futures_util::{Sink, Stream, StreamExt};
use oyez_bus::transport::{Received, TransportError, TransportErrorKind};
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::error::not_subscribed;
use crate::notices::Notices;
use crate::subjects::Subjects;

/// How often an unanswered hello is repeated, and the connection looked at in case that an event was lost.
const TICK: Duration = Duration::from_secs(1);

/// Everything on the prefix.
///
/// A subscription is down until a hello that was sent after its connection was made has come back over it: then the server
/// has it (promises T1 and T5).
pub(crate) struct Incoming {
    client: Client,
    subscriber: Subscriber,
    subjects: Arc<Subjects>,
    notices: Arc<Notices>,
    statistics: Arc<Statistics>,
    /// The number of the connection over which a hello has come back, while it lasts.
    up: Option<u64>,
    hello: Option<Hello>,
    tick: Interval,
    /// The channel of the last message: the next one is often from the same.
    channel: Arc<str>,
}

struct Hello {
    subject: Subject,
    connection: u64,
}

impl Incoming {
    /// Subscribes, and returns when the server has confirmed it. What arrives before that is not kept.
    pub(crate) async fn open(
        client: Client,
        subjects: Arc<Subjects>,
        notices: Arc<Notices>,
    ) -> Result<Self, TransportError> {
        let refusals = notices.refusals();
        let subscriber = client.subscribe(subjects.all()).await.map_err(not_subscribed)?;
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let statistics = client.statistics();
        let mut incoming = Self {
            client,
            subscriber,
            subjects,
            notices,
            statistics,
            up: None,
            hello: None,
            tick,
            channel: Arc::from(""),
        };
        poll_fn(|cx| incoming.poll_up(cx, refusals)).await?;
        Ok(incoming)
    }

    fn poll_up(&mut self, cx: &mut Context<'_>, refusals: u64) -> Poll<Result<(), TransportError>> {
        loop {
            let received = self.poll_next_unpin(cx);
            if self.notices.refusals() != refusals {
                return Poll::Ready(Err(TransportErrorKind::Unauthorized.into()));
            }
            match ready!(received) {
                Some(Received::Up) => return Poll::Ready(Ok(())),
                Some(_) => {}
                None => return Poll::Ready(Err(TransportErrorKind::Closed.into())),
            }
        }
    }

    /// What the link hears of a message.
    fn take(&mut self, message: Message) -> Option<Received> {
        if self.subjects.is_hello(&message.subject) {
            return self.take_hello(&message.subject);
        }
        if *self.channel != *message.subject {
            self.channel = Arc::from(message.subject.as_str());
        }
        Some(Received::Frame { channel: Arc::clone(&self.channel), payload: message.payload })
    }

    fn take_hello(&mut self, subject: &Subject) -> Option<Received> {
        let hello = self.hello.take_if(|hello| hello.subject == *subject)?;
        // Otherwise it came back just before that connection broke.
        (hello.connection == self.connection()).then(|| {
            self.up = Some(hello.connection);
            Received::Up
        })
    }

    /// Which connection the client has, or had last.
    fn connection(&self) -> u64 {
        self.statistics.connects.load(Ordering::Relaxed)
    }

    fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Sends a hello, unless one is on its way over this connection; then the same one, if it is to be sent `again`.
    fn say_hello(&mut self, cx: &mut Context<'_>, again: bool) {
        let connection = self.connection();
        let sent = self.hello.as_ref().filter(|hello| hello.connection == connection);
        if sent.is_some() && !again {
            return;
        }
        let subject = sent.map_or_else(|| self.subjects.hello(), |hello| hello.subject.clone());
        // An error means that the client ends; so does the stream.
        let mut client = Pin::new(&mut self.client);
        if let Poll::Ready(Ok(())) = client.as_mut().poll_ready(cx) {
            let message =
                OutboundMessage { subject: subject.clone(), reply: None, payload: Bytes::new(), headers: None };
            if client.start_send(message).is_ok() {
                self.hello = Some(Hello { subject, connection });
            }
        }
    }

    /// Whether a tick has passed. Wakes at the next one.
    fn has_ticked(&mut self, cx: &mut Context<'_>) -> bool {
        let mut ticked = false;
        while self.tick.poll_tick(cx).is_ready() {
            ticked = true;
        }
        ticked
    }
}

impl Stream for Incoming {
    type Item = Received;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Received>> {
        let this = &mut *self;
        // The messages of the next connection come after the news of this one's end.
        while this.up.is_none_or(|up| up == this.connection()) {
            match this.subscriber.poll_next_unpin(cx) {
                Poll::Ready(Some(message)) => {
                    if let Some(received) = this.take(message) {
                        return Poll::Ready(Some(received));
                    }
                }
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => break,
            }
        }
        this.notices.register(cx.waker());
        this.notices.log();
        let connected = this.is_connected();
        if this.up.is_some_and(|up| !connected || up != this.connection()) {
            this.up = None;
            // Whoever polls again gets this stream on its way.
            return Poll::Ready(Some(Received::Down));
        }
        let ticked = this.has_ticked(cx);
        if this.up.is_none() && connected {
            this.say_hello(cx, ticked);
        }
        Poll::Pending
    }
}
