//! [`Attach`]: how a bus is joined to a transport.

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};
use uuid::Uuid;

use crate::bus::EventBus;
use crate::envelope::Node;
use crate::link::core::{Core, Tasks};
use crate::link::dispatcher::{Dispatcher, OnRejected};
use crate::link::handle::Link;
use crate::link::inbox::Inbox;
use crate::link::outbox::Limits;
use crate::link::status::Rejected;
use crate::link::{receiver, sender};
use crate::pattern::Pattern;
use crate::transport::{BoxFuture, Incoming, Transport, TransportError, TransportErrorKind};

/// A transport about to be attached; see [`EventBus::attach`]. Await it.
#[must_use = "a transport is attached when this is awaited"]
pub struct Attach<'b> {
    bus: &'b EventBus,
    transport: Box<dyn Transport>,
    limits: Limits,
    inbox: usize,
    in_flight: usize,
    only: Option<Vec<Pattern>>,
    beat: Duration,
    on_rejected: Option<OnRejected>,
}

impl<'b> Attach<'b> {
    pub(crate) fn new(bus: &'b EventBus, transport: impl Transport) -> Self {
        Self {
            bus,
            transport: Box::new(transport),
            limits: Limits { frames: 8192, bytes: 16 * 1024 * 1024, drop_newest: false },
            inbox: 65_536,
            in_flight: 64,
            only: None,
            beat: Duration::from_secs(2),
            on_rejected: None,
        }
    }

    /// How many events, and how many bytes of them, may wait to be sent; the one that would be more drops the oldest, and
    /// that is counted (promise T2). Default: 8192 events and 16 MiB. At least one event always has room.
    pub fn outbox(mut self, events: usize, bytes: usize) -> Self {
        (self.limits.frames, self.limits.bytes) = (events, bytes);
        self
    }

    /// A full outbox drops the new event instead of the oldest; the emit's [`links`](crate::Emitted::links) tell so.
    pub fn drop_newest(mut self) -> Self {
        self.limits.drop_newest = true;
        self
    }

    /// How many frames may wait to be handled; what comes more is dropped, and told as a gap (promise T12). Default: 65,536.
    pub fn inbox(mut self, frames: usize) -> Self {
        self.inbox = frames.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// How many events of other nodes may be handled at a time. Handlers start in the order in which the events came;
    /// those that wait go on beside the next ones. 1 handles one event after the other. Default: 64.
    pub fn in_flight(mut self, events: usize) -> Self {
        self.in_flight = events.max(1);
        self
    }

    /// Handles no other events of other nodes than those whose names match (promise T10). What this node emits is sent all
    /// the same.
    pub fn only(mut self, patterns: impl IntoIterator<Item = Pattern>) -> Self {
        self.only = Some(patterns.into_iter().collect());
        self
    }

    /// How long after its last event an idle node tells the others the number of that event, so that they notice its loss
    /// (promise T7). The next pauses double, up to a minute. Default: 2 s.
    pub fn beat(mut self, pause: Duration) -> Self {
        self.beat = pause.max(Duration::from_millis(1));
        self
    }

    /// Looks at every frame that makes no sense (promise T9). It is called in the link's task, so it should be quick.
    pub fn on_rejected(mut self, look: impl Fn(&Rejected) + Send + Sync + 'static) -> Self {
        self.on_rejected = Some(Box::new(look));
        self
    }

    async fn attach(self) -> Result<Link, TransportError> {
        let Self { bus, transport, limits, inbox, in_flight, only, beat, on_rejected } = self;
        if !bus.is_open() {
            return Err(TransportErrorKind::Closed.into());
        }
        let links = &bus.shared.links;
        let id: Arc<str> = format!("{:016x}", Uuid::new_v4().as_u64_pair().0).into();
        let node = Node::new(transport.properties().prefix, Arc::clone(links.instance()), id);
        let incoming = transport.subscribe().await?;
        let dispatcher = Dispatcher {
            inbox: Inbox::new(node.clone(), only, Arc::clone(&links.recent)),
            core: Arc::new(Core::new(node, transport, limits)),
            bus: bus.downgrade(),
            on_rejected,
            in_flight,
        };
        let core = Arc::clone(&dispatcher.core);
        start(dispatcher, incoming, inbox, beat);
        links.add(Arc::clone(&core));
        Ok(Link::new(core, bus.downgrade()))
    }
}

fn start(dispatcher: Dispatcher, incoming: Incoming, inbox: usize, beat: Duration) {
    let core = Arc::clone(&dispatcher.core);
    let (arriving, arrived) = mpsc::channel(inbox);
    let sending = tokio::spawn(sender::run(Arc::clone(&core), beat)).abort_handle();
    let receiving = tokio::spawn(receiver::run(Arc::clone(&core), incoming, arriving)).abort_handle();
    // It ends by itself when nothing can arrive any more, and its handlers are done.
    tokio::spawn(dispatcher.run(arrived));
    core.own(Tasks { sending, receiving });
}

impl<'b> IntoFuture for Attach<'b> {
    type Output = Result<Link, TransportError>;
    type IntoFuture = BoxFuture<'b, Self::Output>;

    /// # Panics
    /// Outside of a tokio runtime with its timer enabled.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.attach())
    }
}

impl fmt::Debug for Attach<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attach").field("outbox", &self.limits.frames).finish_non_exhaustive()
    }
}
