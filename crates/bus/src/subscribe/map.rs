//! [`SubscribeMap`]: one handler for a closed set of events (promise B17).

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use crate::bus::EventBus;
use crate::context::Context;
use crate::dispatch::{Options, Run, seats};
use crate::event::Event;
use crate::event_map::{EventMap, MapVisitor};
use crate::layer::{self, Layer};
use crate::registry::{Enrolment, Owner};
use crate::subscribe::{Handler, Outcome, Subscription};

/// A subscription to the events of a map, before its handler is given. It is one subscription: one id, one place in the
/// order.
#[derive(Debug)]
#[must_use = "nothing is subscribed until a handler is given"]
pub struct SubscribeMap<'b, T> {
    bus: &'b EventBus,
    options: MapOptions,
    map: PhantomData<fn(T)>,
}

/// The options that every variant's subscriber gets.
#[derive(Default, Clone)]
struct MapOptions {
    name: Option<Arc<str>>,
    timeout: Option<Duration>,
    layers: Vec<Arc<dyn Layer>>,
}

impl EventBus {
    /// Subscribes an async handler to every event of a map.
    pub fn on_map<T: EventMap, M, H: Handler<T, M>>(&self, handler: H) -> Subscription {
        self.subscribe_map::<T>().handle(handler)
    }

    /// Begins a subscription to every event of a map with options.
    pub fn subscribe_map<T: EventMap>(&self) -> SubscribeMap<'_, T> {
        SubscribeMap { bus: self, options: MapOptions::default(), map: PhantomData }
    }
}

impl<T: EventMap> SubscribeMap<'_, T> {
    /// A name for logs, failures and [`listeners`](EventBus::listeners).
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.options.name = Some(name.into());
        self
    }

    /// The handler's future is dropped when it takes longer; that is a failure.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.options.timeout = Some(limit);
        self
    }

    /// A layer around this handler only, inside of the bus's.
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.options.layers.push(layer::quiet(layer));
        self
    }

    /// Subscribes an async handler.
    pub fn handle<M, H: Handler<T, M>>(self, handler: H) -> Subscription {
        let Self { bus, options, .. } = self;
        let enrolment = bus.shared.registry.enrol(options.name.clone(), T::NAMES.join(",").into(), false);
        let handler = Arc::new(move |event: T, context: &Context| handler.call(event, context));
        let mut each = Each { enrolment, handler, options, owner: bus.owner() };
        T::visit(&mut each);
        Subscription::new(bus, each.enrolment.finish())
    }
}

struct Each<'r, H> {
    enrolment: Enrolment<'r>,
    handler: Arc<H>,
    options: MapOptions,
    owner: Owner,
}

impl<T, H, Fut> MapVisitor<T> for Each<'_, H>
where
    T: EventMap,
    H: Fn(T, &Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: Outcome> + Send + 'static,
{
    fn variant<E: Event>(&mut self, wrap: fn(Arc<E>) -> T) {
        let handler = Arc::clone(&self.handler);
        let run = Run::Async(seats(move |event, context: &Context| handler(wrap(event), context)));
        let MapOptions { name, timeout, layers } = self.options.clone();
        let options = Options { name, timeout, layers, ..Options::default() };
        self.enrolment.add(run, options, self.owner.clone());
    }
}

impl std::fmt::Debug for MapOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MapOptions").field("name", &self.name).field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
