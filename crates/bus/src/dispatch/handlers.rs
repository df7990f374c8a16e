//! [`Handlers`]: the frozen, ordered list of handlers that one emit goes through.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task;

use crate::any_event::AnyEvent;
use crate::context::Context;
use crate::dispatch::payload::Payload;
use crate::dispatch::record::Record;
use crate::dispatch::subscriber::{Started, Subscriber};
use crate::event::Event;
use crate::layer::Layers;

/// A place in a list: a subscription, whatever form of the event it takes.
pub(crate) trait Entry: Clone + Send + Sync + 'static {
    /// The form of the event that the list goes with.
    type Event: Send + Sync + Unpin + 'static;

    fn record(&self) -> &Arc<Record>;

    /// Whether the handler is synchronous and has no options.
    fn is_plain_sync(&self) -> bool;

    fn start(&self, event: &Self::Event, cx: &Context, layers: &Layers, task: &mut task::Context<'_>) -> Started;
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
    fn start(&self, event: &Arc<E>, cx: &Context, layers: &Layers, task: &mut task::Context<'_>) -> Started {
        match self {
            Self::Exact(subscriber) => subscriber.start(event, cx, layers, task),
            Self::Pattern(subscriber) => subscriber.start(&AnyEvent::typed(event), cx, layers, task),
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

    /// How many events wait in its queue, and how many were dropped from it.
    fn queue(&self) -> Option<(usize, u64)>;

    /// Lets go of what waits in its queue.
    fn clear_queue(&self);
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
        match P::from_any(event) {
            Some(event) => self.start(&event, cx, layers, task),
            None => Started::Skipped,
        }
    }

    fn queue(&self) -> Option<(usize, u64)> {
        self.queue.as_ref().map(|queue| (queue.depth(), queue.dropped()))
    }

    fn clear_queue(&self) {
        if let Some(queue) = &self.queue {
            queue.clear();
        }
    }
}

impl Entry for Arc<dyn AnySubscriber> {
    type Event = AnyEvent;

    fn record(&self) -> &Arc<Record> {
        (**self).record()
    }

    fn is_plain_sync(&self) -> bool {
        false
    }

    fn start(&self, event: &AnyEvent, cx: &Context, layers: &Layers, task: &mut task::Context<'_>) -> Started {
        Arc::clone(self).start_any(event, cx, layers, task)
    }
}

/// The handlers of one event type or name, in the order of their subscription (promise B1). Never changed: subscribing
/// makes a new list, and an emit stays with the one it began with (promise B4).
pub(crate) struct Handlers<N: Entry> {
    pub(crate) entries: Box<[N]>,
    pub(crate) layers: Layers,
    /// Whether every handler is synchronous and has nothing around it.
    pub(crate) all_sync: bool,
    passes: Passes,
}

impl<N: Entry> Handlers<N> {
    pub(crate) fn new(entries: Vec<N>, layers: Layers) -> Self {
        let all_sync = layers.is_empty() && entries.iter().all(N::is_plain_sync);
        Self { entries: entries.into(), layers, all_sync, passes: Passes::default() }
    }

    /// Counts a call for every handler of the list at once. A turn in which a handler does not start is taken back by
    /// [`Record::pass_over`].
    #[inline]
    pub(crate) fn count_pass(&self) {
        self.passes.add();
    }

    pub(crate) fn passes(&self) -> u64 {
        self.passes.sum()
    }

    /// Hands what was counted so far to the records, when the list makes place for a new one.
    pub(crate) fn settle_passes(&self) {
        let passes = self.passes.take();
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

/// A counter that emitting threads do not fight over: one cache line for each of a few groups of threads.
#[derive(Default)]
struct Passes([Stripe; STRIPES]);

const STRIPES: usize = 4;

#[derive(Default)]
#[repr(align(128))]
struct Stripe(AtomicU64);

impl Passes {
    #[inline]
    fn add(&self) {
        self.0[stripe() % STRIPES].0.fetch_add(1, Ordering::Relaxed);
    }

    fn sum(&self) -> u64 {
        self.0.iter().map(|stripe| stripe.0.load(Ordering::Relaxed)).sum()
    }

    fn take(&self) -> u64 {
        self.0.iter().map(|stripe| stripe.0.swap(0, Ordering::Relaxed)).sum()
    }
}

/// The calling thread's number.
#[inline]
fn stripe() -> usize {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static MINE: usize = NEXT.fetch_add(1, Ordering::Relaxed) as usize;
    }
    MINE.try_with(|mine| *mine).unwrap_or(0)
}
