//! [`Subscribe`]: a subscription with options.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::any_event::AnyEvent;
use crate::bus::EventBus;
use crate::context::Context;
use crate::dispatch::{Backlog, Options, Payload, Record, Run, seats};
use crate::event::Event;
use crate::layer::{self, Layer};
use crate::pattern::{IntoPattern, Pattern, PatternError};
use crate::queue::{Overflow, QueueOptions};
use crate::subscribe::{EventStream, Handler, HandlerWith, Outcome, Subscription};

/// A subscription to one event type (`P` is `Arc<E>`) or to the names of a pattern (`P` is [`AnyEvent`]), before its
/// handler is given. Nothing is subscribed until then.
#[must_use = "nothing is subscribed until a handler is given"]
pub struct Subscribe<'b, P: Payload> {
    bus: &'b EventBus,
    options: Options<P>,
    enrol: Box<EnrolFn<P>>,
}

/// Puts the handler into the bus's registry.
type EnrolFn<P> = dyn FnOnce(&EventBus, Run<P>, Options<P>) -> Arc<Record> + Send;

impl EventBus {
    /// Begins a subscription to `E` with options (promise B14).
    pub fn subscribe<E: Event>(&self) -> Subscribe<'_, Arc<E>> {
        Subscribe { bus: self, options: Options::default(), enrol: Box::new(enrol::<E>) }
    }

    /// Begins a subscription to the names of a pattern with options; also for single names that are known at run time
    /// only (promise B12).
    ///
    /// # Errors
    /// The text is no legal pattern.
    pub fn subscribe_pattern(&self, pattern: impl IntoPattern) -> Result<Subscribe<'_, AnyEvent>, PatternError> {
        Ok(self.subscribe_names(pattern.into_pattern()?))
    }

    /// Begins a subscription to every event with options.
    pub fn subscribe_any(&self) -> Subscribe<'_, AnyEvent> {
        self.subscribe_names(Pattern::all())
    }

    pub(crate) fn subscribe_names(&self, pattern: Pattern) -> Subscribe<'_, AnyEvent> {
        let enrol =
            move |bus: &Self, run, options| bus.shared.registry.enrol_pattern(pattern, run, options, bus.owner());
        Subscribe { bus: self, options: Options::default(), enrol: Box::new(enrol) }
    }
}

fn enrol<E: Event>(bus: &EventBus, run: Run<Arc<E>>, options: Options<Arc<E>>) -> Arc<Record> {
    let mut enrolment = bus.shared.registry.enrol(options.name.clone(), E::NAME.into(), options.once);
    enrolment.add(run, options, bus.owner());
    enrolment.finish()
}

impl<P: Payload> Subscribe<'_, P> {
    /// A name for logs, failures and [`listeners`](EventBus::listeners).
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.options.name = Some(name.into());
        self
    }

    /// The handler runs once at most, and is gone before it runs (promise B5).
    pub fn once(mut self) -> Self {
        self.options.once = true;
        self
    }

    /// Only events for which `filter` is true reach the handler. A `filter` that panics counts as a failure of the
    /// handler.
    pub fn filter(mut self, filter: impl Fn(&P::Target) -> bool + Send + Sync + 'static) -> Self {
        self.options.filter = Some(Box::new(filter));
        self
    }

    /// The handler's future is dropped when it takes longer; that is a failure. It needs a tokio runtime with a timer. With layers, each try has the full
    /// time. A handler that blocks its thread is not stopped.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.options.timeout = Some(limit);
        self
    }

    /// The handler runs in its own task, behind a queue of `capacity` events; 0 counts as 1. It still starts events in the
    /// order in which they were emitted.
    ///
    /// The task is spawned on the runtime of an emit that finds the queue without one, and lives while there is something
    /// to do. It makes progress only while that runtime is driven. Outside of a runtime the delivery fails with
    /// [`NoRuntime`](crate::HandlerErrorKind::NoRuntime). Events that wait when the handler is removed are dropped, and
    /// emits that wait for room resolve.
    pub fn queued(mut self, capacity: usize, overflow: Overflow) -> Self {
        let queue = self.options.queue.get_or_insert_default();
        (queue.capacity, queue.overflow) = (capacity, overflow);
        self
    }

    /// How many events of the queue are handled at a time; 1 unless said otherwise. Without
    /// [`queued`](Subscribe::queued), a queue of 1024 events with [`Overflow::Wait`].
    pub fn concurrency(mut self, events: usize) -> Self {
        self.options.queue.get_or_insert_with(QueueOptions::default).concurrency = events;
        self
    }

    /// A layer around this handler only, inside of the bus's (promise B16).
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.options.layers.push(layer::quiet(layer));
        self
    }

    /// Subscribes an async handler.
    pub fn handle<M, H: Handler<P, M>>(self, handler: H) -> Subscription {
        self.run(Run::Async(seats(move |event, context: &Context| handler.call(event, context))))
    }

    /// Subscribes an async handler that is handed `state`.
    pub fn handle_with<S, M, H>(self, state: impl Into<Arc<S>>, handler: H) -> Subscription
    where
        S: ?Sized + Send + Sync + 'static,
        H: HandlerWith<S, P, M>,
    {
        let state = state.into();
        self.run(Run::Async(seats(move |event, context: &Context| handler.call(Arc::clone(&state), event, context))))
    }

    /// Subscribes a handler that runs to its end when it is called. It gets the event by reference.
    pub fn handle_sync<R, F>(self, handler: F) -> Subscription
    where
        R: Outcome,
        F: Fn(&P::Target, &Context) -> R + Send + Sync + 'static,
    {
        self.run(Run::Sync(Box::new(move |event, context| handler(event, context).into_result())))
    }

    /// Subscribes a stream that keeps up to `capacity` events, at least 1.
    pub fn stream(self, capacity: usize) -> EventStream<P> {
        EventStream::subscribe(self, capacity)
    }

    /// Tells listeners of what waits elsewhere than in a queue.
    pub(crate) fn backlog(mut self, backlog: Arc<dyn Backlog>) -> Self {
        self.options.backlog = Some(backlog);
        self
    }

    pub(crate) fn run(self, run: Run<P>) -> Subscription {
        let Self { bus, options, enrol } = self;
        let backlog = options.backlog.clone();
        let subscription = Subscription::new(bus, enrol(bus, run, options));
        if let Some(backlog) = backlog.filter(|_| !bus.is_open()) {
            backlog.end();
        }
        subscription
    }
}

impl<P: Payload> fmt::Debug for Subscribe<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscribe").field("name", &self.options.name).finish_non_exhaustive()
    }
}
