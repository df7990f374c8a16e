//! Subscribing to an [`EventMap`]: one handler for a closed set of events (promise B17).

use std::future::Future;
use std::sync::Arc;

use crate::bus::EventBus;
use crate::context::Context;
use crate::dispatch::{Options, Run, seats};
use crate::event::Event;
use crate::event_map::{EventMap, MapVisitor};
use crate::registry::{Enrolment, Owner};
use crate::subscribe::{Handler, Outcome, Subscription};

impl EventBus {
    /// Subscribes an async handler to every event of a map. It is one subscription: one id, one place in the order.
    pub fn on_map<T: EventMap, M, H: Handler<T, M>>(&self, handler: H) -> Subscription {
        let enrolment = self.shared.registry.enrol(None, T::NAMES.join(",").into(), false);
        let handler = Arc::new(move |event: T, context: &Context| handler.call(event, context));
        let mut each = Each { enrolment, handler, owner: self.owner() };
        T::visit(&mut each);
        Subscription::new(self, each.enrolment.finish())
    }
}

struct Each<'r, H> {
    enrolment: Enrolment<'r>,
    handler: Arc<H>,
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
        self.enrolment.add(run, Options::default(), self.owner.clone());
    }
}
