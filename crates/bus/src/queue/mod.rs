//! [`Queue`]: a handler's own queue and the task that works it off (promise B14).

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};

use crate::context::{Context, Reach};
use crate::dispatch::{Payload, Subscriber};
use crate::failure::{HandlerErrorKind, discard};
use crate::log_rate::LogRate;
use crate::registry::Owner;
use crate::tracker::{Ticket, Work};

mod room;
mod state;
mod wait_graph;
mod worker;

pub(crate) use room::Room;
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
    /// Wakes the emits that wait for room when the worker was lost with its runtime.
    abandoned: Notify,
}

/// An event in the queue.
pub(crate) struct Item<P> {
    event: P,
    context: Context,
    ticket: Ticket,
    /// The emit that waits for room.
    waits: Option<(Place, oneshot::Sender<()>)>,
}

/// The number of an event that waits for room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(u64);

/// What came of offering an event.
pub(crate) enum Offered {
    /// It is in the queue; another one may have been dropped for it.
    Taken,
    /// It was dropped.
    Dropped,
    /// The queue is full, and the emit waits.
    Full(Room),
    /// The queue takes nothing.
    Refused(HandlerErrorKind),
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
            abandoned: Notify::new(),
        }
    }

    /// Puts an event at the queue's end. The queue's order is the order of these calls.
    pub(crate) fn offer(&self, subscriber: &Arc<Subscriber<P>>, event: P, context: &Context) -> Offered {
        let Ok(runtime) = Handle::try_current() else { return Offered::Refused(HandlerErrorKind::NoRuntime) };
        let inherited = context.reach().map(|reach| Reach::clone(reach)).unwrap_or_default();
        let Some(ticket) = self.owner.tracker.ticket(Work::Queued, inherited.epoch) else {
            return Offered::Refused(HandlerErrorKind::Closed);
        };
        context.keep_time();
        let reach = Reach { scope: inherited.scope.clone(), queue: Some(self.id), epoch: Some(ticket.epoch()) };
        let item = Item { event, context: context.with_reach(reach), ticket, waits: None };
        let mut wait = None;
        let offer = self.lock().offer(item, self.options.overflow, |item, number| {
            let edge = match inherited.queue {
                Some(waiting) => Some(WaitGraph::process().try_wait(waiting, self.id)?),
                None => None,
            };
            let (sender, receiver) = oneshot::channel();
            item.waits = Some((Place(number), sender));
            wait = Some((Place(number), receiver, edge));
            Some(())
        });
        worker::ensure(subscriber, &runtime);
        match (offer, wait) {
            (Offer::Taken, None) => Offered::Taken,
            (Offer::Taken, Some((place, admitted, edge))) => {
                Offered::Full(room::room(subscriber, place, admitted, edge))
            }
            (Offer::DroppedOldest(oldest), _) => {
                self.drop_item(subscriber, oldest);
                Offered::Taken
            }
            (Offer::Dropped(item), _) => {
                self.drop_item(subscriber, item);
                Offered::Dropped
            }
        }
    }

    /// Takes an event out that waits for room; true if it still waited.
    fn give_up(&self, place: Place) -> bool {
        let waits = |item: &Item<P>| item.waits.as_ref().is_some_and(|(waits, _)| *waits == place);
        let item = self.lock().give_up(waits);
        let waited = item.is_some();
        discard(item);
        waited
    }

    /// Makes sure that a worker is at the subscriber's queue, if it has one with something to do.
    pub(crate) fn resume(subscriber: &Arc<Subscriber<P>>, runtime: &Handle) {
        worker::ensure(subscriber, runtime);
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
    /// Tells the emit that waits that the event has room. It may just have gone; then the event is handled all the same.
    fn admit(&mut self) {
        if let Some((_, admitted)) = self.waits.take() {
            _ = admitted.send(());
        }
    }
}

impl<P: Payload> fmt::Debug for Queue<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("id", &self.id).field("options", &self.options).finish_non_exhaustive()
    }
}
