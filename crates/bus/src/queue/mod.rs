//! [`Queue`]: a handler's own queue and the task that works it off (promise B14).

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};

use crate::context::{Context, Reach};
use crate::dispatch::{HandlerFuture, Payload, Subscriber};
use crate::failure::{HandlerError, HandlerErrorKind, discard};
use crate::log_rate::LogRate;
use crate::registry::Owner;
use crate::tracker::{Ticket, Work};

mod state;
mod wait_graph;
mod worker;

use state::{Offer, State};
pub(crate) use wait_graph::QueueId;
use wait_graph::WaitGraph;

/// What a full queue does with the next event (promise B14).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Overflow {
    /// The emit waits for room. Where that could never come, because the emit is made by a handler that the queue
    /// itself waits for, the event is dropped and counted.
    Wait,
    /// The event that waits longest is dropped and counted.
    DropOldest,
    /// The new event is dropped and counted.
    DropNewest,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct QueueOptions {
    pub(crate) capacity: usize,
    pub(crate) overflow: Overflow,
    pub(crate) concurrency: usize,
}

impl Default for QueueOptions {
    fn default() -> Self {
        Self { capacity: 1024, overflow: Overflow::Wait, concurrency: 1 }
    }
}

pub(crate) struct Queue<P: Payload> {
    id: QueueId,
    options: QueueOptions,
    owner: Owner,
    state: Mutex<State<Item<P>>>,
    drops: LogRate,
    /// Wakes a worker that waits for its running handlers and could start another.
    arrived: Notify,
}

/// An event in the queue.
pub(crate) struct Item<P> {
    event: P,
    context: Context,
    ticket: Ticket,
    /// Tells the emit that waits for room.
    admitted: Option<oneshot::Sender<()>>,
}

/// What came of offering an event.
pub(crate) enum Offered {
    /// It is in the queue, or one was dropped by the rule.
    Taken,
    /// The queue is full; the future resolves when the event has room.
    Full(HandlerFuture),
    /// There is nothing to run the queue on.
    NoRuntime(HandlerError),
}

impl<P: Payload> Queue<P> {
    pub(crate) fn new(options: QueueOptions, owner: &Owner) -> Self {
        Self {
            id: QueueId::new(),
            options,
            owner: owner.clone(),
            state: Mutex::new(State::new(options.capacity, options.concurrency)),
            drops: LogRate::default(),
            arrived: Notify::new(),
        }
    }

    /// Puts an event at the queue's end. The queue's order is the order of these calls.
    pub(crate) fn offer(&self, subscriber: &Arc<Subscriber<P>>, event: P, context: &Context) -> Offered {
        let Ok(runtime) = Handle::try_current() else {
            return Offered::NoRuntime(HandlerError::bare(HandlerErrorKind::NoRuntime));
        };
        context.keep_time();
        let inherited = context.reach().map(|reach| Reach::clone(reach)).unwrap_or_default();
        let ticket = self.owner.tracker.ticket(Work::Queued, inherited.epoch);
        let reach = Reach { scope: inherited.scope.clone(), queue: Some(self.id), epoch: Some(ticket.epoch()) };
        let item = Item { event, context: context.with_reach(reach), ticket, admitted: None };
        let mut wait = None;
        let overflow = self.options.overflow;
        let offer = self.lock().offer(item, overflow, |item| {
            let edge = match inherited.queue {
                Some(waiting) => Some(WaitGraph::process().try_wait(waiting, self.id)?),
                None => None,
            };
            let (sender, receiver) = oneshot::channel();
            item.admitted = Some(sender);
            wait = Some((edge, receiver));
            Some(())
        });
        match offer {
            Offer::Taken => {}
            Offer::Dropped(item) => self.drop_item(subscriber, item),
        }
        worker::ensure(subscriber, &runtime);
        match wait {
            None => Offered::Taken,
            Some((edge, receiver)) => Offered::Full(Box::pin(async move {
                // An error means that the queue let go of the event: its handler was removed.
                _ = receiver.await;
                drop(edge);
                Ok(())
            })),
        }
    }

    /// Lets go of all that waits: the handler was removed.
    pub(crate) fn clear(&self) {
        let items = self.lock().clear();
        items.into_iter().for_each(discard);
    }

    pub(crate) fn depth(&self) -> usize {
        self.lock().depth()
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.lock().dropped()
    }

    fn drop_item(&self, subscriber: &Subscriber<P>, item: Item<P>) {
        let record = &subscriber.record;
        if let Some(dropped) = self.drops.tick() {
            tracing::warn!(
                target: "oyez",
                event = item.context.name(),
                subscription = record.id.0,
                handler = record.name.as_deref().unwrap_or_default(),
                dropped,
                capacity = self.options.capacity,
                "queue of an event handler is full; events were dropped"
            );
        }
        discard(item);
    }

    fn lock(&self) -> MutexGuard<'_, State<Item<P>>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P> Item<P> {
    /// Tells the emit that the event has room; false if that emit was dropped meanwhile.
    fn admit(&mut self) -> bool {
        self.admitted.take().is_none_or(|admitted| admitted.send(()).is_ok())
    }
}

impl<P: Payload> fmt::Debug for Queue<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("id", &self.id).field("options", &self.options).finish_non_exhaustive()
    }
}
