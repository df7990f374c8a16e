//! [`Subscriber`]: one subscription with its handler, and how a turn of it starts.

use std::sync::Arc;
use std::task::{self, Poll};
use std::time::Duration;

use tokio::runtime::Handle;

use crate::context::Context;
use crate::dispatch::call;
use crate::dispatch::isolate::{HandlerFuture, HandlerResult, Polled, Quiet, Quietly, isolated, poll_isolated};
use crate::dispatch::payload::{Handed, Payload};
use crate::dispatch::record::Record;
use crate::dispatch::seat::{BoxSeat, SeatFn};
use crate::failure::{HandlerError, HandlerErrorKind};
use crate::layer::{Layer, Layers};
use crate::queue::{Offered, Queue, QueueOptions, Room};
use crate::registry::Owner;

/// A handler in one of its shapes.
pub(crate) enum Run<P: Payload> {
    /// Runs to its end when it is called, by reference.
    Sync(Box<SyncFn<P>>),
    /// Runs to its end when it is called, and keeps a clone of the event.
    Keep(Box<KeepFn<P>>),
    /// Makes a future, in a seat.
    Async(Box<SeatFn<P>>),
}

type SyncFn<P> = dyn Fn(&<P as Payload>::Target, &Context) -> HandlerResult + Send + Sync;
type KeepFn<P> = dyn Fn(P, &Context) -> HandlerResult + Send + Sync;

/// What was asked for when subscribing, besides the handler.
pub(crate) struct Options<P: Payload> {
    pub(crate) name: Option<Arc<str>>,
    pub(crate) once: bool,
    pub(crate) filter: Option<Filter<P>>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    pub(crate) queue: Option<QueueOptions>,
    pub(crate) backlog: Option<Arc<dyn Backlog>>,
}

/// Events that wait to be taken.
pub(crate) trait Backlog: Send + Sync {
    /// How many wait.
    fn depth(&self) -> usize;

    /// How many were dropped for lack of room.
    fn dropped(&self) -> u64;

    /// No more will come: the handler was removed.
    fn end(&self);
}

type Filter<P> = Box<dyn Fn(&<P as Payload>::Target) -> bool + Send + Sync>;

impl<P: Payload> Default for Options<P> {
    fn default() -> Self {
        Self { name: None, once: false, filter: None, timeout: None, layers: Vec::new(), queue: None, backlog: None }
    }
}

/// A handler's turn in an emit, after its first poll.
pub(crate) enum Started {
    /// It did not start: it was off, used up, filtered out, of another type, or its queue dropped the event.
    Skipped,
    /// The handler ran to its end.
    Done(HandlerResult),
    /// The handler waits for something.
    Pending(Quiet),
    /// The handler's queue took the event.
    Queued,
    /// The handler's queue is full, and the emit waits for room.
    Full(Room),
}

pub(crate) struct Subscriber<P: Payload> {
    pub(crate) record: Arc<Record>,
    run: Quietly<Run<P>>,
    filter: Quietly<Option<Filter<P>>>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) layers: Layers,
    pub(crate) queue: Option<Queue<P>>,
    backlog: Option<Arc<dyn Backlog>>,
    owner: Owner,
    /// Whether there is nothing but the handler: the fast way.
    plain: bool,
}

impl<P: Payload> Subscriber<P> {
    pub(crate) fn new(record: Arc<Record>, run: Run<P>, options: Options<P>, owner: Owner) -> Self {
        let Options { name: _, once, filter, timeout, layers, queue, backlog } = options;
        let plain = !once && filter.is_none() && timeout.is_none() && layers.is_empty() && queue.is_none();
        Self {
            record,
            run: Quietly::new(run),
            filter: Quietly::new(filter),
            timeout,
            layers: layers.into(),
            queue: queue.map(|options| Queue::new(options, &owner)),
            backlog,
            owner,
            plain,
        }
    }

    /// How many events wait for the handler, and how many were dropped.
    pub(crate) fn waiting(&self) -> (usize, u64) {
        let queue = self.queue.as_ref().map(|queue| (queue.depth(), queue.dropped()));
        let backlog = self.backlog.as_ref().map(|backlog| (backlog.depth(), backlog.dropped()));
        queue.or(backlog).unwrap_or_default()
    }

    /// Lets go of what waits for the handler, which was removed.
    pub(crate) fn end(&self) {
        if let Some(queue) = &self.queue {
            queue.clear();
        }
        self.end_backlog();
    }

    /// Ends a stream or a wait.
    pub(crate) fn end_backlog(&self) {
        if let Some(backlog) = &self.backlog {
            backlog.end();
        }
    }

    /// The synchronous handler, if it is one and has no options.
    #[inline]
    pub(crate) fn plain_sync(&self) -> Option<&SyncFn<P>> {
        match self.run.get() {
            Some(Run::Sync(run)) if self.plain => Some(run),
            _ => None,
        }
    }

    /// Takes the handler's turn: starts it and polls it once.
    #[inline]
    pub(crate) fn start(
        self: &Arc<Self>,
        event: Handed<'_, P>,
        seat: &mut Option<BoxSeat<P>>,
        context: &Context,
        layers: &Layers,
        task: &mut task::Context<'_>,
    ) -> Started {
        if !self.record.is_on() {
            return Started::Skipped;
        }
        if self.plain && layers.is_empty() {
            return self.call(event, seat, context, task);
        }
        self.start_with_options(event, seat, context, layers, task)
    }

    #[inline]
    fn call(
        &self,
        event: Handed<'_, P>,
        seat: &mut Option<BoxSeat<P>>,
        context: &Context,
        task: &mut task::Context<'_>,
    ) -> Started {
        match self.run.get() {
            Some(Run::Async(seats)) => {
                let Some(event) = event.take() else { return Started::Skipped };
                let taken = seat.get_or_insert_with(|| seats());
                match taken.as_mut().start(event, context, task) {
                    Poll::Ready(result) => Started::Done(result),
                    // The handler keeps its seat, and the next event gets a new one.
                    Poll::Pending => match seat.take() {
                        Some(taken) => Started::Pending(Quiet::new(taken.into_future())),
                        None => Started::Skipped,
                    },
                }
            }
            Some(Run::Sync(run)) => {
                let Some(event) = event.peek() else { return Started::Skipped };
                Started::Done(isolated(|| run(event.target(), context)).flatten())
            }
            Some(Run::Keep(run)) => {
                let Some(event) = event.take() else { return Started::Skipped };
                Started::Done(isolated(|| run(event, context)).flatten())
            }
            None => Started::Skipped,
        }
    }

    #[cold]
    fn start_with_options(
        self: &Arc<Self>,
        event: Handed<'_, P>,
        seat: &mut Option<BoxSeat<P>>,
        context: &Context,
        layers: &Layers,
        task: &mut task::Context<'_>,
    ) -> Started {
        let Some(candidate) = event.peek() else { return Started::Skipped };
        match self.wants(candidate) {
            Ok(true) => {}
            Ok(false) => return Started::Skipped,
            Err(panic) => return Started::Done(Err(panic)),
        }
        // The filter is the user's, and may have taken its time or turned the handler off.
        if !self.record.is_on() {
            return Started::Skipped;
        }
        if (self.queue.is_some() || self.timeout.is_some()) && Handle::try_current().is_err() {
            return Started::Done(Err(HandlerError::bare(HandlerErrorKind::NoRuntime)));
        }
        if self.record.once {
            if !self.record.take() {
                return Started::Skipped;
            }
            self.owner.remove(self.record.id);
        }
        if self.queue.is_none() && layers.is_empty() && self.layers.is_empty() && self.timeout.is_none() {
            return self.call(event, seat, context, task);
        }
        let Some(event) = event.take() else { return Started::Skipped };
        if let Some(queue) = &self.queue {
            return match queue.offer(self, event, context) {
                Offered::Taken => Started::Queued,
                Offered::Dropped => Started::Skipped,
                Offered::Full(room) => Started::Full(room),
                Offered::Refused(why) => Started::Done(Err(HandlerError::bare(why))),
            };
        }
        poll_isolated(call::layered(self, event, context.clone(), layers), task).into()
    }

    /// Asks the filter.
    fn wants(&self, event: &P) -> Result<bool, HandlerError> {
        match self.filter.get().and_then(Option::as_ref) {
            Some(filter) => isolated(|| filter(event.target())),
            None => Ok(true),
        }
    }

    /// The bare handler as a future, for layers, timeouts and queues.
    pub(crate) fn future(&self, event: P, context: &Context) -> HandlerFuture {
        match self.run.get() {
            Some(Run::Async(seats)) => {
                let mut seat = seats();
                seat.as_mut().begin(event, context);
                seat.into_future()
            }
            Some(Run::Sync(run)) => ready(run(event.target(), context)),
            Some(Run::Keep(run)) => ready(run(event, context)),
            None => ready(Ok(())),
        }
    }

    /// One call of the handler from its queue, with the layers the bus has now.
    pub(crate) fn queued_call(self: &Arc<Self>, event: P, context: Context) -> HandlerFuture {
        call::layered(self, event, context, &self.owner.layers())
    }
}

fn ready(result: HandlerResult) -> HandlerFuture {
    Box::pin(std::future::ready(result))
}

impl From<Polled> for Started {
    #[inline]
    fn from(polled: Polled) -> Self {
        match polled {
            Polled::Done(result) => Self::Done(result),
            Polled::Pending(rest) => Self::Pending(rest),
        }
    }
}
