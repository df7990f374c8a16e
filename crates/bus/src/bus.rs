//! [`EventBus`]: the handle that everything goes through.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use serde::Serialize;

use crate::ambient;
use crate::builder::Builder;
use crate::context::{Context, Reach};
use crate::dispatch::{Awaited, Detached, Dispatch, Emit, EmitError, Fifo, Json};
use crate::event::Event;
use crate::id::SubscriptionId;
use crate::layer::{self, Layer};
use crate::link::Links;
use crate::registry::{Listener, Owner, Registry};
use crate::stats::{Counts, Stats};
use crate::tracker::Tracker;

/// A typed event bus. Clones are handles to the same bus.
#[derive(Clone)]
pub struct EventBus {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) registry: Registry,
    pub(crate) tracker: Arc<Tracker>,
    pub(crate) fifo: Fifo,
    pub(crate) counts: Counts,
    pub(crate) links: Links,
    pub(crate) dispatch: Dispatch,
    pub(crate) closed: AtomicBool,
    max_depth: usize,
}

impl Default for EventBus {
    fn default() -> Self {
        Self::new()
    }
}

impl EventBus {
    /// A new bus with the defaults of [`Builder`].
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A new bus with other settings.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn with_settings(dispatch: Dispatch, max_depth: usize) -> Self {
        let tracker = Arc::new(Tracker::new());
        let shared = Shared {
            registry: Registry::default(),
            fifo: Fifo::default(),
            tracker,
            counts: Counts::default(),
            links: Links::default(),
            dispatch,
            closed: AtomicBool::new(false),
            max_depth,
        };
        Self { shared: Arc::new(shared) }
    }

    /// Emits an event: every handler gets it, in the order of their subscription, and the future resolves when all
    /// have settled (promises B1 to B4).
    ///
    /// # Errors
    /// Awaiting it gives an [`EmitError`] if no handler ran; a handler's failure is in the
    /// [`Emitted`](crate::Emitted).
    ///
    /// # Cancel safety
    /// Dropping the future cancels the handlers that wait and starts no more; see [`Emit`].
    #[inline]
    pub fn emit<E: Event>(&self, event: E) -> Emit<'_, E> {
        Emit::new(self, event)
    }

    /// Emits an event by its name: the handlers of each type that bears the name get it decoded, those of patterns as
    /// [`AnyEvent`](crate::AnyEvent) (promise B12).
    ///
    /// A type hears it if it was seen on this bus and reads the payload's version; others are passed over, and counted in
    /// [`stats`](EventBus::stats). That an event is durable is known once its type was subscribed or emitted here.
    ///
    /// The payload is a [`serde_json::Value`], a `Box<RawValue>` (which is not parsed again), or anything else that serde
    /// can write.
    ///
    /// # Errors
    /// Awaiting it gives what [`emit`](EventBus::emit) gives, and [`EmitError::Name`], [`EmitError::Encode`] or
    /// [`EmitError::Decode`].
    pub fn emit_json(&self, name: impl Into<Arc<str>>, payload: impl Serialize) -> Emit<'_, Json> {
        Emit::new(self, Json::new(name.into(), &payload))
    }

    /// Emits an event breadth-first: inside of a handler it starts when the poll of the outermost emit is over, after
    /// what was posted before it (promise B8).
    ///
    /// # Errors
    /// What [`Emit::detach`] says.
    pub fn post<E: Event>(&self, event: E) -> Result<(), EmitError> {
        self.emit(event).line_up(Awaited::Never).map(drop)
    }

    /// Emits an event without waiting for its handlers; the caller may vanish (promise B15). It is the line of
    /// [`post`](EventBus::post), with a handle to the outcome.
    ///
    /// Inside of a handler, await the outcome; blocking the thread on it waits for the poll that is blocked. The line makes
    /// progress only while the runtime that works it off is driven.
    ///
    /// # Errors
    /// What [`Emit::detach`] says.
    pub fn emit_detached<E: Event>(&self, event: E) -> Result<Detached, EmitError> {
        self.emit(event).detach()
    }

    /// Puts a layer around every handler call, also of the handlers that are subscribed already (promise B16). It is
    /// inside of the layers that were added before.
    pub fn layer(&self, layer: impl Layer) {
        self.shared.registry.add_layer(layer::quiet(layer));
    }

    /// Removes a handler by the id of its subscription; true if it was on: no turn starts it from now on (promise B6).
    pub fn off(&self, id: SubscriptionId) -> bool {
        self.shared.registry.off(id)
    }

    /// Removes every handler, and returns how many were on.
    pub fn remove_all(&self) -> usize {
        self.shared.registry.ids().into_iter().filter(|id| self.off(*id)).count()
    }

    /// Removes the handlers of `E`, not those of patterns that match its name, and returns how many were on. An event
    /// map is removed whole.
    pub fn remove_all_of<E: Event>(&self) -> usize {
        self.shared.registry.ids_of::<E>().into_iter().filter(|id| self.off(*id)).count()
    }

    /// How many handlers an event of type `E` reaches, those of patterns included (promise B13).
    #[must_use]
    pub fn listener_count<E: Event>(&self) -> usize {
        self.shared.registry.count::<E>()
    }

    /// How many handlers an event called `name` can reach, of every type that bears the name, those of patterns
    /// included.
    #[must_use]
    pub fn listener_count_of(&self, name: &str) -> usize {
        self.shared.registry.count_named(name)
    }

    /// Every subscription with its counts, in the order of their ids (promise B13).
    #[must_use]
    pub fn listeners(&self) -> Vec<Listener> {
        self.shared.registry.listeners()
    }

    /// The bus's own counts.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.shared.counts.read(&self.shared.registry)
    }

    /// Whether `other` is a handle to the same bus.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// A handle that does not keep the bus alive: for a handler that emits on its own bus.
    #[must_use]
    pub fn downgrade(&self) -> WeakEventBus {
        WeakEventBus { shared: Arc::downgrade(&self.shared) }
    }

    pub(crate) fn owner(&self) -> Owner {
        Owner::new(Arc::downgrade(&self.shared), &self.shared.tracker, self.shared.registry.layer_stack())
    }

    /// Whether emits are taken from everybody.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        !self.shared.closed.load(Ordering::Acquire)
    }

    /// Whether an emit may begin here: the bus is open, or finishes work of which this is a part; and it is not too
    /// deep.
    pub(crate) fn admit(&self, parent: Option<&Context>, reach: Option<&Reach>) -> Result<(), EmitError> {
        if parent.is_some_and(|parent| parent.depth() >= self.shared.max_depth) {
            return Err(EmitError::TooDeep { limit: self.shared.max_depth });
        }
        if self.is_open() || self.finishes(reach) { Ok(()) } else { Err(EmitError::Closed) }
    }

    /// [`admit`](Self::admit) for an event that nobody listens to, which asks for as little as possible.
    #[inline]
    pub(crate) fn admit_unheard(&self) -> Result<(), EmitError> {
        if self.is_open() && ambient::is_outside() { Ok(()) } else { self.admit_inside() }
    }

    #[cold]
    fn admit_inside(&self) -> Result<(), EmitError> {
        let (parent, reach) = ambient::inherited();
        self.admit(parent.as_ref(), reach.as_deref())
    }

    /// Whether work that this bus still finishes is behind the emit.
    fn finishes(&self, reach: Option<&Reach>) -> bool {
        reach.and_then(|reach| reach.epoch).is_some_and(|epoch| self.shared.tracker.is_open(epoch))
    }
}

/// A handle that does not keep its bus alive.
///
/// A handler that holds an [`EventBus`] is held by that bus, and neither is ever freed; one that holds this has no such
/// circle. A handler of the [global](EventBus::global) bus needs neither: it can call [`emit`](crate::emit()).
///
/// ```
/// # use std::sync::Arc;
/// # use oyez_bus::{AnyEvent, EventBus, WeakEventBus};
/// let bus = EventBus::new();
/// bus.with(bus.downgrade()).on_pattern("order.paid", async |bus: Arc<WeakEventBus>, _: AnyEvent| {
///     if let Some(bus) = bus.upgrade() {
///         bus.emit_json("invoice.due", ()).await?;
///     }
///     Ok::<_, oyez_bus::EmitError>(())
/// })?;
/// # Ok::<_, oyez_bus::PatternError>(())
/// ```
#[derive(Clone, Default)]
pub struct WeakEventBus {
    shared: Weak<Shared>,
}

impl WeakEventBus {
    /// The bus, if it is still there.
    #[must_use]
    pub fn upgrade(&self) -> Option<EventBus> {
        self.shared.upgrade().map(|shared| EventBus { shared })
    }

    /// Whether `bus` is the one.
    pub(crate) fn is(&self, bus: &EventBus) -> bool {
        std::ptr::eq(self.shared.as_ptr(), Arc::as_ptr(&bus.shared))
    }
}

impl fmt::Debug for WeakEventBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WeakEventBus")
    }
}

impl fmt::Debug for EventBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subscriptions = self.shared.registry.subscriptions();
        f.debug_struct("EventBus").field("subscriptions", &subscriptions).finish_non_exhaustive()
    }
}
