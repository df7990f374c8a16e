//! [`Core`]: one attached transport, shared by its tasks, its bus and its handles.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::{Notify, OnceCell, broadcast, watch};
use tokio::task::AbortHandle;

use crate::context::Context;
use crate::emitted::{NotSent, NotSentReason};
use crate::envelope::{Node, Tail};
use crate::link::LinkClosed;
use crate::link::outbox::{Limits, Offered, Outbox};
use crate::link::status::{LinkEvent, LinkState, LinkStatus};
use crate::log_rate::LogRate;
use crate::transport::Transport;

pub(crate) struct Core {
    pub(super) node: Node,
    pub(super) transport: Box<dyn Transport>,
    pub(super) outbox: Outbox,
    pub(super) counts: Counts,
    connection: Mutex<Connection>,
    events: broadcast::Sender<LinkEvent>,
    /// The connection came back: the other nodes want to know what they missed.
    pub(super) returned: Notify,
    /// Whether the sender has sent all that it will.
    pub(super) drained: watch::Sender<bool>,
    /// Nobody waits for the sender any more.
    pub(super) abandoned: watch::Sender<bool>,
    tasks: Mutex<Option<Tasks>>,
    pub(super) closing: OnceCell<LinkClosed>,
    pub(super) logs: Logs,
}

#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) sent: Count,
    pub(super) refused: Count,
    pub(super) unencodable: Count,
    pub(super) unsendable: Count,
    pub(super) received: Count,
    pub(super) echoes: Count,
    pub(super) duplicates: Count,
    pub(super) lost: Count,
    pub(super) rejected: Count,
    pub(super) filtered: Count,
    pub(super) unheard: Count,
    pub(super) handled: Count,
    pub(super) unhandled: Count,
    pub(super) overrun: Count,
}

#[derive(Debug, Default)]
pub(super) struct Count(AtomicU64);

/// Log lines at a limited rate, one for each reason.
#[derive(Debug, Default)]
pub(super) struct Logs {
    pub(super) refused: LogRate,
    pub(super) dropped: LogRate,
    pub(super) publish: LogRate,
    pub(super) lost: LogRate,
    pub(super) rejected: LogRate,
    pub(super) overrun: LogRate,
}

/// The tasks of a link that are ended from outside.
pub(super) struct Tasks {
    pub(super) sending: AbortHandle,
    pub(super) receiving: AbortHandle,
}

struct Connection {
    state: LinkState,
    since: Instant,
}

/// Link events that are kept for a slow reader.
const EVENTS: usize = 1024;

impl Core {
    pub(super) fn new(node: Node, transport: Box<dyn Transport>, limits: Limits) -> Self {
        Self {
            node,
            transport,
            outbox: Outbox::new(limits),
            counts: Counts::default(),
            connection: Mutex::new(Connection { state: LinkState::Up, since: Instant::now() }),
            events: broadcast::Sender::new(EVENTS),
            returned: Notify::new(),
            drained: watch::Sender::new(false),
            abandoned: watch::Sender::new(false),
            tasks: Mutex::default(),
            closing: OnceCell::new(),
            logs: Logs::default(),
        }
    }

    /// Puts an event into the outbox. Never waits (promise T2).
    pub(super) fn offer(&self, context: &Context, tail: Tail) -> Option<NotSent> {
        let size = tail.frame_len(&self.node);
        let limit = self.transport.properties().max_payload;
        if size > limit {
            return Some(self.refuse(context.name(), size, limit));
        }
        match self.outbox.offer(context.event_name().clone(), tail, size) {
            Offered::Taken => None,
            Offered::Dropped => {
                self.log_dropped(context.name());
                Some(self.not_sent(NotSentReason::Dropped))
            }
            Offered::Closed => Some(self.not_sent(NotSentReason::Closed)),
        }
    }

    fn refuse(&self, name: &str, size: usize, limit: usize) -> NotSent {
        self.counts.refused.add(1);
        if let Some(times) = self.logs.refused.tick() {
            tracing::warn!(target: "oyez", link = &*self.node.link, event = name, size, limit, times, "event too large to be sent");
        }
        self.tell(LinkEvent::Refused { name: name.into(), size, limit });
        self.not_sent(NotSentReason::Refused { size, limit })
    }

    fn log_dropped(&self, event: &str) {
        if let Some(times) = self.logs.dropped.tick() {
            tracing::warn!(target: "oyez", link = &*self.node.link, event, times, "outbox full, event not sent");
        }
    }

    pub(super) fn not_sent(&self, reason: NotSentReason) -> NotSent {
        NotSent::new(Arc::clone(&self.node.link), reason)
    }

    pub(super) fn tell(&self, event: LinkEvent) {
        // Nobody need listen.
        _ = self.events.send(event);
    }

    /// The events from now on; `None` if there will be none.
    pub(super) fn listen(&self) -> Option<broadcast::Receiver<LinkEvent>> {
        let receiver = self.events.subscribe();
        (self.connection().state != LinkState::Closed).then_some(receiver)
    }

    pub(super) fn went_down(&self) {
        if self.change(LinkState::Up, LinkState::Down).is_some() {
            tracing::warn!(target: "oyez", link = &*self.node.link, "link down");
            self.tell(LinkEvent::Down);
        }
    }

    pub(super) fn came_up(&self) {
        if let Some(since) = self.change(LinkState::Down, LinkState::Up) {
            let down_for = since.elapsed();
            tracing::info!(target: "oyez", link = &*self.node.link, ?down_for, "link up");
            self.tell(LinkEvent::Up { down_for });
            self.returned.notify_one();
        }
    }

    pub(super) fn own(&self, tasks: Tasks) {
        *self.tasks() = Some(tasks);
    }

    pub(super) fn stop_sending(&self) {
        if let Some(tasks) = &*self.tasks() {
            tasks.sending.abort();
        }
    }

    /// The bus is gone, without a close: what is in the outbox is still sent, for a while.
    pub(super) fn abandon(&self) {
        // In this order: the sender ends when the outbox is closed and empty, and looks then whether it is alone.
        self.abandoned.send_replace(true);
        self.outbox.close();
    }

    /// No more comes or goes.
    pub(super) fn ended(&self) {
        if let Some(tasks) = self.tasks().take() {
            tasks.receiving.abort();
        }
        let mut connection = self.connection();
        let was_open = connection.state != LinkState::Closed;
        connection.state = LinkState::Closed;
        drop(connection);
        if was_open {
            self.tell(LinkEvent::Closed);
        }
    }

    fn tasks(&self) -> MutexGuard<'_, Option<Tasks>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the state that it leaves began, if that is the state it has.
    fn change(&self, from: LinkState, to: LinkState) -> Option<Instant> {
        let mut connection = self.connection();
        (connection.state == from).then(|| {
            connection.state = to;
            std::mem::replace(&mut connection.since, Instant::now())
        })
    }

    pub(super) fn status(&self) -> LinkStatus {
        let depth = self.outbox.depth();
        let counts = &self.counts;
        LinkStatus {
            state: self.connection().state,
            outbox: depth.frames,
            outbox_bytes: depth.bytes,
            sent: counts.sent.get(),
            dropped: depth.dropped,
            refused: counts.refused.get(),
            unencodable: counts.unencodable.get(),
            unsendable: counts.unsendable.get(),
            received: counts.received.get(),
            echoes: counts.echoes.get(),
            duplicates: counts.duplicates.get(),
            lost: counts.lost.get(),
            rejected: counts.rejected.get(),
            filtered: counts.filtered.get(),
            unheard: counts.unheard.get(),
            handled: counts.handled.get(),
            unhandled: counts.unhandled.get(),
            overrun: counts.overrun.get(),
        }
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Count {
    pub(super) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
