//! [`Handlers`]: the frozen, ordered list of handlers that one emit goes through.

use std::sync::Arc;
use std::task;

use tokio::runtime::Handle;

use crate::any_event::AnyEvent;
use crate::context::Context;
use crate::dispatch::lanes::Lanes;
use crate::dispatch::payload::{Handed, Payload};
use crate::dispatch::record::Record;
use crate::dispatch::seat::BoxSeat;
use crate::dispatch::subscriber::{Started, Subscriber};
use crate::event::Event;
use crate::layer::Layers;
use crate::queue::Queue;

/// A place in a list: a subscription, whatever form of the event it takes.
pub(crate) trait Entry: Clone + Send + Sync + 'static {
    /// The form of the event that the list goes with.
    type Event: Send + Sync + Unpin + 'static;

    /// Where the place's future runs.
    type Seat: Default + Send + 'static;

    fn record(&self) -> &Arc<Record>;

    /// Whether the handler is synchronous and has no options.
    fn is_plain_sync(&self) -> bool;

    /// Takes the turn, in the place's seat.
    fn start(
        &self,
        event: Handed<'_, Self::Event>,
        seat: &mut Self::Seat,
        context: &Context,
        layers: &Layers,
        task: &mut task::Context<'_>,
    ) -> Started;
}

/// A place in the list of an event type.
pub(crate) enum Typed<E: Event> {
    Exact(Arc<Subscriber<Arc<E>>>),
    Pattern(Arc<Subscriber<AnyEvent>>),
}

impl<E: Event> Clone for Typed<E> {
    fn clone(&self) -> Self {
        match self {
            Self::Exact(subscriber) => Self::Exact(Arc::clone(subscriber)),
            Self::Pattern(subscriber) => Self::Pattern(Arc::clone(subscriber)),
        }
    }
}

impl<E: Event> Entry for Typed<E> {
    type Event = Arc<E>;
    type Seat = (Option<BoxSeat<Arc<E>>>, Option<BoxSeat<AnyEvent>>);

    #[inline]
    fn record(&self) -> &Arc<Record> {
        match self {
            Self::Exact(subscriber) => &subscriber.record,
            Self::Pattern(subscriber) => &subscriber.record,
        }
    }

    fn is_plain_sync(&self) -> bool {
        matches!(self, Self::Exact(subscriber) if subscriber.plain_sync().is_some())
    }

    #[inline]
    fn start(
        &self,
        event: Handed<'_, Arc<E>>,
        seat: &mut Self::Seat,
        context: &Context,
        layers: &Layers,
        task: &mut task::Context<'_>,
    ) -> Started {
        match self {
            Self::Exact(subscriber) => subscriber.start(event, &mut seat.0, context, layers, task),
            Self::Pattern(subscriber) => {
                let mut any = event.peek().map(AnyEvent::typed);
                subscriber.start(Handed::Given(&mut any), &mut seat.1, context, layers, task)
            }
        }
    }
}

/// A subscription of any form: the place in the list of a name.
pub(crate) trait AnySubscriber: Send + Sync {
    fn record(&self) -> &Arc<Record>;

    fn start_any(
        self: Arc<Self>,
        event: &AnyEvent,
        cx: &Context,
        layers: &Layers,
        task: &mut task::Context<'_>,
    ) -> Started;

    /// How many events wait for the handler, and how many were dropped.
    fn waiting(&self) -> (usize, u64);

    /// Lets go of what waits for the handler, which was removed.
    fn end(&self);

    /// Ends its stream or wait.
    fn end_backlog(&self);

    /// Makes sure that its queue is worked off.
    fn resume(self: Arc<Self>, runtime: &Handle);
}

impl<P: Payload> AnySubscriber for Subscriber<P> {
    fn record(&self) -> &Arc<Record> {
        &self.record
    }

    fn start_any(
        self: Arc<Self>,
        event: &AnyEvent,
        cx: &Context,
        layers: &Layers,
        task: &mut task::Context<'_>,
    ) -> Started {
        let mut event = P::from_any(event);
        self.start(Handed::Given(&mut event), &mut None, cx, layers, task)
    }

    fn waiting(&self) -> (usize, u64) {
        self.waiting()
    }

    fn end(&self) {
        self.end();
    }

    fn end_backlog(&self) {
        self.end_backlog();
    }

    fn resume(self: Arc<Self>, runtime: &Handle) {
        Queue::resume(&self, runtime);
    }
}

impl Entry for Arc<dyn AnySubscriber> {
    type Event = AnyEvent;
    type Seat = ();

    fn record(&self) -> &Arc<Record> {
        (**self).record()
    }

    fn is_plain_sync(&self) -> bool {
        false
    }

    fn start(
        &self,
        event: Handed<'_, AnyEvent>,
        _seat: &mut (),
        context: &Context,
        layers: &Layers,
        task: &mut task::Context<'_>,
    ) -> Started {
        match event.peek() {
            Some(event) => Arc::clone(self).start_any(event, context, layers, task),
            None => Started::Skipped,
        }
    }
}

/// A seat for each handler of a list.
pub(crate) type Seats<N> = Vec<<N as Entry>::Seat>;

/// The handlers of one event type or name, in the order of their subscription (promise B1). Never changed: subscribing
/// makes a new list, and an emit stays with the one it began with (promise B4).
pub(crate) struct Handlers<N: Entry> {
    pub(crate) entries: Box<[N]>,
    pub(crate) layers: Layers,
    /// Whether every handler is synchronous and has nothing around it.
    pub(crate) all_sync: bool,
    lanes: Lanes<Seats<N>>,
}

impl<N: Entry> Handlers<N> {
    pub(crate) fn new(entries: Vec<N>, layers: Layers) -> Self {
        let all_sync = layers.is_empty() && entries.iter().all(N::is_plain_sync);
        Self { entries: entries.into(), layers, all_sync, lanes: Lanes::default() }
    }

    /// Counts a call for every handler of the list at once. A turn in which a handler does not start is taken back by
    /// [`Record::pass_over`].
    #[inline]
    pub(crate) fn count_pass(&self, lane: usize) {
        self.lanes.count(lane);
    }

    pub(crate) fn passes(&self) -> u64 {
        self.lanes.counted()
    }

    /// Seats for every handler, or none if another emit has them.
    #[inline]
    pub(crate) fn take_seats(&self, lane: usize) -> Option<Box<Seats<N>>> {
        let mut seats = self.lanes.take(lane)?;
        if seats.is_empty() {
            seats.resize_with(self.entries.len(), N::Seat::default);
        }
        Some(seats)
    }

    /// Leaves the seats to the next emit.
    #[inline]
    pub(crate) fn leave_seats(&self, lane: usize, seats: Box<Seats<N>>) {
        self.lanes.leave(lane, seats);
    }

    /// Hands what was counted so far to the records, when the list makes place for a new one.
    pub(crate) fn settle_passes(&self) {
        let passes = self.lanes.take_counted();
        if passes > 0 {
            self.entries.iter().for_each(|entry| entry.record().add_calls(passes));
        }
    }
}

impl<N: Entry> Drop for Handlers<N> {
    fn drop(&mut self) {
        self.settle_passes();
    }
}
