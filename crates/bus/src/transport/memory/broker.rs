//! [`Broker`]: the server of the in-memory transport.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::sync::watch;

use crate::transport::memory::connection::MemoryTransport;
use crate::transport::memory::wire::Wire;
use crate::transport::{Frame, TransportError, TransportErrorKind};

/// Carries frames between the transports that are connected to it. Clones are handles to the same broker.
#[derive(Clone)]
pub struct Broker {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Whether it answers, for those who wait for that.
    answers: watch::Sender<bool>,
}

#[derive(Default)]
struct State {
    down: bool,
    clients: Vec<Client>,
    next_id: u64,
}

/// A subscription.
struct Client {
    id: u64,
    prefix: Arc<str>,
    wire: Wire,
    frames: mpsc::Sender<Bytes>,
    /// Nothing gets through on its connection any more, and nobody says so.
    lost: bool,
}

/// A subscription, at the subscriber's end.
#[derive(Debug)]
pub(super) struct Subscription {
    pub(super) id: u64,
    pub(super) frames: mpsc::Receiver<Bytes>,
}

/// Frames that wait for a subscriber before the broker drops more.
const BACKLOG: usize = 64 * 1024;

impl Default for Broker {
    fn default() -> Self {
        Self::new()
    }
}

impl Broker {
    /// A broker that runs.
    #[must_use]
    pub fn new() -> Self {
        let shared = Shared { state: Mutex::default(), answers: watch::Sender::new(true) };
        Self { shared: Arc::new(shared) }
    }

    /// A transport for the nodes that share `prefix`.
    #[must_use]
    pub fn connect(&self, prefix: impl Into<Arc<str>>) -> MemoryTransport {
        MemoryTransport::new(self.clone(), prefix.into())
    }

    /// Ends every connection and takes no new ones, as a server that is killed.
    pub fn kill(&self) {
        let mut state = self.lock();
        state.down = true;
        state.clients.clear();
    }

    /// Runs again after [`kill`](Broker::kill).
    pub fn restart(&self) {
        self.lock().down = false;
    }

    /// Answers nothing until [`thaw`](Broker::thaw), as a server that is stopped. Connections stay.
    pub fn freeze(&self) {
        self.shared.answers.send_replace(false);
    }

    /// Answers again.
    pub fn thaw(&self) {
        self.shared.answers.send_replace(true);
    }

    /// Swallows everything on the connections there are, and lets no new ones through until [`thaw`](Broker::thaw), as a
    /// network that drops packets. The connections there are never recover.
    pub fn blackhole(&self) {
        self.freeze();
        self.lock().clients.iter_mut().for_each(|client| client.lost = true);
    }

    /// Publishes any bytes, as a program without oyez may.
    pub fn publish(&self, prefix: &str, payload: impl Into<Bytes>) {
        let payload = payload.into();
        self.lock().deliver(prefix, &payload);
    }

    /// How many subscriptions there are on a prefix.
    #[must_use]
    pub fn subscriptions(&self, prefix: &str) -> usize {
        self.lock().clients.iter().filter(|client| *client.prefix == *prefix && !client.frames.is_closed()).count()
    }

    /// A new connection with its subscription.
    pub(super) fn subscribe(&self, prefix: &Arc<str>, wire: &Wire) -> Result<Subscription, TransportError> {
        let mut state = self.reach(wire)?;
        state.next_id += 1;
        let (frames, receiver) = mpsc::channel(BACKLOG);
        let id = state.next_id;
        state.clients.push(Client { id, prefix: Arc::clone(prefix), wire: wire.clone(), frames, lost: false });
        Ok(Subscription { id, frames: receiver })
    }

    pub(super) fn publish_frames(&self, prefix: &str, wire: &Wire, frames: &[Frame]) -> Result<(), TransportError> {
        let state = self.reach(wire)?;
        frames.iter().for_each(|frame| state.deliver(prefix, frame.payload()));
        Ok(())
    }

    /// Whether a ping on that connection is answered.
    pub(super) fn pings(&self, id: u64, wire: &Wire) -> bool {
        let state = self.reach(wire);
        state.is_ok_and(|state| state.clients.iter().any(|client| client.id == id && !client.lost))
    }

    pub(super) fn leave(&self, id: u64) {
        self.lock().clients.retain(|client| client.id != id);
    }

    /// Nothing gets through any more on the connections of this wire.
    pub(super) fn lose(&self, wire: &Wire) {
        let mut state = self.lock();
        state.clients.iter_mut().filter(|client| client.wire.is(wire)).for_each(|client| client.lost = true);
    }

    pub(super) fn disconnect(&self, wire: &Wire) {
        self.lock().clients.retain(|client| !client.wire.is(wire));
    }

    pub(super) fn connections(&self, wire: &Wire) -> usize {
        self.lock().clients.iter().filter(|client| client.wire.is(wire) && !client.lost).count()
    }

    pub(super) async fn answers(&self) {
        // The sending half is in the broker itself, so this does not fail.
        _ = self.shared.answers.subscribe().wait_for(|answers| *answers).await;
    }

    /// The state, for a connection that wants something now.
    fn reach(&self, wire: &Wire) -> Result<MutexGuard<'_, State>, TransportError> {
        let state = self.lock();
        if state.down && wire.is_whole() {
            return Err(TransportErrorKind::Unreachable.into());
        }
        if !*self.shared.answers.borrow() || !wire.is_whole() {
            return Err(TransportErrorKind::TimedOut.into());
        }
        Ok(state)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A subscriber that is too slow lacks what is too much.
    fn deliver(&self, prefix: &str, payload: &Bytes) {
        let subscribed = self.clients.iter().filter(|client| *client.prefix == *prefix && !client.lost);
        subscribed.for_each(|client| _ = client.frames.try_send(payload.clone()));
    }
}

impl fmt::Debug for Broker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Broker").field("clients", &self.lock().clients.len()).finish_non_exhaustive()
    }
}
