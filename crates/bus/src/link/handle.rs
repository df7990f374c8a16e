//! [`Link`]: the handle to an attached transport.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::bus::{EventBus, WeakEventBus};
use crate::link::attach::Attach;
use crate::link::core::Core;
use crate::link::status::{LinkEvents, LinkStatus};
use crate::transport::Transport;

/// A transport that is attached to a bus. Clones are handles to the same link; dropping them leaves it attached.
#[derive(Clone)]
pub struct Link {
    core: Arc<Core>,
    bus: WeakEventBus,
}

/// What was left when a link was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkClosed {
    /// Events that were not published before the deadline.
    pub unsent: u64,
    /// Whether the server has confirmed all that was published.
    pub confirmed: bool,
}

impl EventBus {
    /// Joins the bus to the buses of other processes that are attached to the same server with the same prefix: what is
    /// emitted on one reaches the handlers of all (promises T1 to T14). Await what this returns; it resolves when events
    /// that others emit from then on will arrive.
    ///
    /// Each bus is a node of its own, also two in one process. Its own handlers get an emitted event directly, typed, and
    /// whether or not the link is up; other nodes get it at most once, and are told what they missed. Events that are
    /// [`LOCAL`](crate::Event::LOCAL) stay here. A bus may have several links; an event that arrives over more than one is
    /// handled once.
    ///
    /// # Errors
    /// Awaiting it gives a [`TransportError`](crate::transport::TransportError) if the server cannot be reached or refuses.
    ///
    /// # Cancel safety
    /// Dropped early, nothing is attached.
    pub fn attach(&self, transport: impl Transport) -> Attach<'_> {
        Attach::new(self, transport)
    }

    /// The links that are attached now.
    #[must_use]
    pub fn links(&self) -> Vec<Link> {
        self.shared.links.list().into_iter().map(|core| Link::new(core, self.downgrade())).collect()
    }

    /// The random id of this bus, by which other nodes know it: what [`Source::Remote`](crate::Source::Remote) carries there.
    #[must_use]
    pub fn instance(&self) -> &str {
        self.shared.links.instance()
    }
}

impl Link {
    pub(super) fn new(core: Arc<Core>, bus: WeakEventBus) -> Self {
        Self { core, bus }
    }

    /// The link's random id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.core.node.link
    }

    /// Its state and its counts.
    #[must_use]
    pub fn status(&self) -> LinkStatus {
        self.core.status()
    }

    /// What happens to it from now on: outages, gaps, frames that make no sense.
    #[must_use]
    pub fn events(&self) -> LinkEvents {
        LinkEvents::new(self.core.listen())
    }

    /// Waits until the outbox is at most half full, or the link is closed: for programs that emit faster than the server
    /// takes it, and would rather wait than lose events.
    ///
    /// # Cancel safety
    /// Nothing is lost if the future is dropped.
    pub async fn room(&self) {
        self.core.outbox.room().await;
    }

    /// Takes the link off the bus, sends what is in the outbox, waits until the server has it, and ends the connection, at
    /// the latest after `deadline` (promise T11). Calling it again gives the same answer.
    ///
    /// # Cancel safety
    /// Dropped early, the link takes no more events, and a later call goes on.
    pub async fn close(&self, deadline: Duration) -> LinkClosed {
        if let Some(bus) = self.bus.upgrade() {
            bus.shared.links.remove(&self.core);
        }
        *self.core.closing.get_or_init(|| self.core.close(deadline)).await
    }
}

impl Core {
    async fn close(&self, deadline: Duration) -> LinkClosed {
        self.outbox.close();
        let end = Instant::now() + deadline;
        let mut drained = self.drained.subscribe();
        let sent = timeout_at(end, drained.wait_for(|drained| *drained)).await.is_ok_and(|drained| drained.is_ok());
        self.stop_sending();
        let unsent = self.outbox.unsent() as u64;
        let closed = self.transport.close(end.saturating_duration_since(Instant::now())).await;
        self.ended();
        LinkClosed { unsent, confirmed: sent && closed.is_ok() }
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("id", &self.id()).field("state", &self.status().state).finish_non_exhaustive()
    }
}
