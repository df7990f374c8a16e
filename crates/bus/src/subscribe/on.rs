//! The short ways to subscribe.

use std::sync::Arc;

use crate::any_event::AnyEvent;
use crate::bus::EventBus;
use crate::context::Context;
use crate::event::Event;
use crate::pattern::{IntoPattern, PatternError};
use crate::subscribe::{EventStream, Handler, Outcome, Subscription, WaitFor, With};

impl EventBus {
    /// Subscribes an async handler to `E`.
    ///
    /// What the handler needs from outside is handed over by [`with`](EventBus::with), or cloned for each call:
    /// `move |event| { let db = db.clone(); async move { .. } }`.
    pub fn on<E: Event, M, H: Handler<Arc<E>, M>>(&self, handler: H) -> Subscription {
        self.subscribe::<E>().handle(handler)
    }

    /// Subscribes an async handler that runs once at most (promise B5).
    pub fn once<E: Event, M, H: Handler<Arc<E>, M>>(&self, handler: H) -> Subscription {
        self.subscribe::<E>().once().handle(handler)
    }

    /// Subscribes a handler that runs to its end when it is called: the cheapest kind. It takes both arguments:
    /// `|event: &MyEvent, _: &Context| ..`.
    pub fn on_sync<E, R, F>(&self, handler: F) -> Subscription
    where
        E: Event,
        R: Outcome,
        F: Fn(&E, &Context) -> R + Send + Sync + 'static,
    {
        self.subscribe::<E>().handle_sync(handler)
    }

    /// Subscribes an async handler to the names of a pattern, of typed and untyped events (promises B9, B12).
    ///
    /// # Errors
    /// The text is no legal pattern.
    pub fn on_pattern<M, H: Handler<AnyEvent, M>>(
        &self,
        pattern: impl IntoPattern,
        handler: H,
    ) -> Result<Subscription, PatternError> {
        Ok(self.subscribe_pattern(pattern)?.handle(handler))
    }

    /// Subscribes an async handler to every event: the pattern `*`.
    pub fn on_any<M, H: Handler<AnyEvent, M>>(&self, handler: H) -> Subscription {
        self.subscribe_any().handle(handler)
    }

    /// Hands `state` to the handler that is given next. An async closure that captures what it needs does not implement
    /// `Fn` for a `'static` future; this takes its place.
    pub fn with<S: ?Sized + Send + Sync + 'static>(&self, state: impl Into<Arc<S>>) -> With<'_, S> {
        With::new(self, state.into())
    }

    /// A stream of the events of type `E` that are emitted from now on. It keeps up to `capacity`, at least 1; when it
    /// is full the oldest leaves, and the stream tells how many it lacks (promise B14).
    pub fn stream<E: Event>(&self, capacity: usize) -> EventStream<Arc<E>> {
        self.subscribe::<E>().stream(capacity)
    }

    /// The next event of type `E` for which `wanted` is true. It is subscribed when this returns, and gone when the
    /// future resolves or is dropped (promise B13).
    ///
    /// # Errors
    /// Awaiting it gives [`NoMoreEvents`](crate::NoMoreEvents) when the bus is gone or shut down, or the subscription was
    /// removed. A `wanted` that panics is a failure of the subscription, and the wait goes on.
    pub fn wait_for<E: Event>(&self, wanted: impl Fn(&E) -> bool + Send + Sync + 'static) -> WaitFor<Arc<E>> {
        WaitFor::subscribe(self.subscribe::<E>().filter(wanted))
    }
}
