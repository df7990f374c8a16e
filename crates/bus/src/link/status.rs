//! [`LinkStatus`] and [`LinkEvent`]: what a link tells of itself.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::envelope::RejectedReason;

/// Whether a link has its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LinkState {
    /// Events of other nodes arrive.
    Up,
    /// The connection is gone, and the transport tries to get it back. Emits go on; their events wait in the outbox.
    Down,
    /// The link was closed.
    Closed,
}

/// A link and its counts when asked. Counts are of frames since the link was attached.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkStatus {
    /// Whether it has its connection.
    pub state: LinkState,
    /// How many events wait to be sent.
    pub outbox: usize,
    /// How large they are together, in bytes.
    pub outbox_bytes: usize,
    /// Events that the transport has published.
    pub sent: u64,
    /// Events that the full outbox dropped.
    pub dropped: u64,
    /// Events that were too large to be sent (promise T8).
    pub refused: u64,
    /// Events that could not be written as JSON.
    pub unencodable: u64,
    /// Events that the transport took at first and could not publish.
    pub unsendable: u64,
    /// Frames that arrived, those of this node included.
    pub received: u64,
    /// Frames of this node that came back, its beats included.
    pub echoes: u64,
    /// Events that had come before, over this link or another one.
    pub duplicates: u64,
    /// Events that are lost, by the numbers of their senders (promise T7).
    pub lost: u64,
    /// Frames that make no sense (promise T9).
    pub rejected: u64,
    /// Events that [`only`](crate::Attach::only) keeps away.
    pub filtered: u64,
    /// Events that no handler listens to.
    pub unheard: u64,
    /// Events that went to handlers.
    pub handled: u64,
    /// Events that waited in the inbox when the bus was shut down, and went to no handler.
    pub unhandled: u64,
    /// Frames that the full inbox dropped. Those of nodes that number their events are among the
    /// [`lost`](LinkStatus::lost) too.
    pub overrun: u64,
}

/// Something that happened to a link.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkEvent {
    /// The connection is gone. What others emit from now on may be lost.
    Down,
    /// The connection is there again.
    Up {
        /// How long it was away.
        down_for: Duration,
    },
    /// Events of another node did not arrive, and will not.
    Gap {
        /// The node, as in [`Source::Remote`](crate::Source::Remote).
        origin: Arc<str>,
        /// How many.
        lost: u64,
    },
    /// An event was too large to be sent.
    Refused {
        /// The event's name.
        name: Arc<str>,
        /// The size of its frame, in bytes.
        size: usize,
        /// The largest that the server takes, in bytes.
        limit: usize,
    },
    /// A frame makes no sense.
    Rejected {
        /// Why.
        reason: RejectedReason,
    },
    /// Whoever reads these events was too slow, and lacks so many.
    Lagged(u64),
    /// The link was closed.
    Closed,
}

/// A frame that makes no sense, for a look at what others send.
#[derive(Clone)]
#[non_exhaustive]
pub struct Rejected {
    /// Why it was rejected.
    pub reason: RejectedReason,
    /// The channel or subject it came on.
    pub channel: Arc<str>,
    /// Its bytes.
    pub payload: Bytes,
}

impl fmt::Debug for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Rejected");
        debug.field("reason", &self.reason).field("channel", &self.channel).field("size", &self.payload.len());
        debug.finish_non_exhaustive()
    }
}

/// The events of a link from the call of [`Link::events`](crate::Link::events) on. The stream ends after
/// [`LinkEvent::Closed`].
pub struct LinkEvents {
    /// `None` after the end.
    next: Option<Next>,
}

type Next = Pin<Box<dyn Future<Output = (Option<LinkEvent>, broadcast::Receiver<LinkEvent>)> + Send>>;

impl LinkEvents {
    /// `None`: the link was closed before.
    pub(super) fn new(receiver: Option<broadcast::Receiver<LinkEvent>>) -> Self {
        Self { next: receiver.map(|receiver| Box::pin(receive(receiver)) as Next) }
    }

    /// The next event; `None` at the end.
    ///
    /// # Cancel safety
    /// Nothing is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<LinkEvent> {
        poll_fn(|task| Pin::new(&mut *self).poll_next(task)).await
    }
}

impl Stream for LinkEvents {
    type Item = LinkEvent;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut task::Context<'_>) -> Poll<Option<LinkEvent>> {
        let Some(next) = &mut self.next else { return Poll::Ready(None) };
        let (event, receiver) = std::task::ready!(next.as_mut().poll(task));
        let over = matches!(event, None | Some(LinkEvent::Closed));
        self.next = (!over).then(|| Box::pin(receive(receiver)) as Next);
        Poll::Ready(event)
    }
}

async fn receive(mut receiver: broadcast::Receiver<LinkEvent>) -> (Option<LinkEvent>, broadcast::Receiver<LinkEvent>) {
    let event = match receiver.recv().await {
        Ok(event) => Some(event),
        Err(RecvError::Lagged(lacking)) => Some(LinkEvent::Lagged(lacking)),
        Err(RecvError::Closed) => None,
    };
    (event, receiver)
}

impl fmt::Debug for LinkEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LinkEvents").finish_non_exhaustive()
    }
}
