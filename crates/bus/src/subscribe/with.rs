//! [`With`]: a handler's state, handed over when subscribing.

use std::fmt;
use std::sync::Arc;

use crate::any_event::AnyEvent;
use crate::bus::EventBus;
use crate::event::Event;
use crate::pattern::{IntoPattern, PatternError};
use crate::subscribe::{HandlerWith, Subscription};

/// The state for the handler that is given next.
///
/// ```
/// # use std::sync::Arc;
/// # use oyez_bus::EventBus;
/// # struct Db;
/// # impl Db { async fn insert(&self, _: &Order) -> Result<(), std::io::Error> { Ok(()) } }
/// # struct Order;
/// # impl oyez_bus::Event for Order {
/// #     const NAME: &'static str = "order";
/// #     fn encode(&self) -> Result<Option<Box<serde_json::value::RawValue>>, oyez_bus::EncodeError> { Ok(None) }
/// #     fn decode(_: u32, _: &[u8]) -> Result<Self, oyez_bus::DecodeError> { Ok(Order) }
/// # }
/// let bus = EventBus::new();
/// bus.with(Db).on(async |db: Arc<Db>, order: Arc<Order>| db.insert(&order).await);
/// ```
#[must_use = "nothing is subscribed until a handler is given"]
pub struct With<'b, S: ?Sized> {
    bus: &'b EventBus,
    state: Arc<S>,
}

impl<'b, S: ?Sized + Send + Sync + 'static> With<'b, S> {
    pub(crate) fn new(bus: &'b EventBus, state: Arc<S>) -> Self {
        Self { bus, state }
    }

    /// Subscribes an async handler to `E`.
    pub fn on<E: Event, M, H: HandlerWith<S, Arc<E>, M>>(self, handler: H) -> Subscription {
        self.bus.subscribe::<E>().handle_with(self.state, handler)
    }

    /// Subscribes an async handler that runs once at most.
    pub fn once<E: Event, M, H: HandlerWith<S, Arc<E>, M>>(self, handler: H) -> Subscription {
        self.bus.subscribe::<E>().once().handle_with(self.state, handler)
    }

    /// Subscribes an async handler to every event.
    pub fn on_any<M, H: HandlerWith<S, AnyEvent, M>>(self, handler: H) -> Subscription {
        self.bus.subscribe_any().handle_with(self.state, handler)
    }

    /// Subscribes an async handler to the names of a pattern.
    ///
    /// # Errors
    /// The text is no legal pattern.
    pub fn on_pattern<M, H: HandlerWith<S, AnyEvent, M>>(
        self,
        pattern: impl IntoPattern,
        handler: H,
    ) -> Result<Subscription, PatternError> {
        Ok(self.bus.subscribe_pattern(pattern)?.handle_with(self.state, handler))
    }
}

impl<S: ?Sized> fmt::Debug for With<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("With").finish_non_exhaustive()
    }
}
