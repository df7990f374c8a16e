//! [`Topic`]: one event type on one bus.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};

use crate::any_event::AnyEvent;
use crate::dispatch::{AnySubscriber, Entry, Handlers, Record, Subscriber, Typed};
use crate::dyn_event::ErasedEvent;
use crate::event::{DecodeError, DecodeErrorKind, Event};
use crate::failure::discard;
use crate::id::SubscriptionId;
use crate::layer::Layers;

/// The handlers of an event type: the exact ones and those whose pattern matches its name, in one list.
pub(crate) struct Topic<E: Event> {
    handlers: ArcSwap<Handlers<Typed<E>>>,
}

/// A list that was replaced. Dropping it may run users' code, so that happens when no lock is held (promise B7).
pub(crate) type Retired = Box<dyn Any + Send>;

impl<E: Event> Topic<E> {
    pub(crate) fn new(patterns: Vec<Arc<Subscriber<AnyEvent>>>, layers: Layers) -> Self {
        let entries = patterns.into_iter().map(Typed::Pattern).collect();
        Self { handlers: ArcSwap::from_pointee(Handlers::new(entries, layers)) }
    }

    #[inline]
    pub(crate) fn load(&self) -> Guard<Arc<Handlers<Typed<E>>>> {
        self.handlers.load()
    }

    /// Adds a handler at the end: ids grow, so that is its place in the order.
    pub(crate) fn append(&self, entry: Typed<E>) -> Retired {
        self.replace(|entries| entries.push(entry))
    }

    fn replace(&self, change: impl FnOnce(&mut Vec<Typed<E>>)) -> Retired {
        let old = self.handlers.load_full();
        let mut entries = old.entries.to_vec();
        change(&mut entries);
        self.install(Handlers::new(entries, old.layers.clone()))
    }

    fn install(&self, new: Handlers<Typed<E>>) -> Retired {
        let old = self.handlers.swap(Arc::new(new));
        old.settle_passes();
        Box::new(old)
    }
}

/// A topic whose type is not known here.
pub(crate) trait AnyTopic: Any + Send + Sync {
    fn name(&self) -> &'static str;
    fn version(&self) -> u32;
    fn is_durable(&self) -> bool;
    fn len(&self) -> usize;
    fn append_pattern(&self, subscriber: Arc<Subscriber<AnyEvent>>) -> Retired;
    fn remove(&self, id: SubscriptionId) -> Retired;
    fn set_layers(&self, layers: Layers) -> Retired;
    /// The handlers of the type itself, without those of patterns.
    fn exact(&self) -> Vec<Arc<dyn AnySubscriber>>;
    fn has_exact(&self) -> bool;
    /// Reads a payload; a panic of the type's `Deserialize` is an error too.
    fn decode(&self, version: u32, json: &[u8]) -> Result<Arc<dyn ErasedEvent>, DecodeError>;
    fn reads(&self, version: u32) -> bool;
    /// Shows each handler with the calls that the list has counted.
    fn for_each_pass(&self, see: &mut dyn FnMut(&Record, u64));
}

impl<E: Event> AnyTopic for Topic<E> {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn version(&self) -> u32 {
        E::VERSION
    }

    fn is_durable(&self) -> bool {
        E::DURABLE
    }

    fn len(&self) -> usize {
        self.load().entries.len()
    }

    fn append_pattern(&self, subscriber: Arc<Subscriber<AnyEvent>>) -> Retired {
        self.append(Typed::Pattern(subscriber))
    }

    fn remove(&self, id: SubscriptionId) -> Retired {
        self.replace(|entries| entries.retain(|entry| entry.record().id != id))
    }

    fn set_layers(&self, layers: Layers) -> Retired {
        self.install(Handlers::new(self.load().entries.to_vec(), layers))
    }

    fn exact(&self) -> Vec<Arc<dyn AnySubscriber>> {
        let exact = |entry: &Typed<E>| match entry {
            Typed::Exact(subscriber) => Some(Arc::clone(subscriber) as Arc<dyn AnySubscriber>),
            Typed::Pattern(_) => None,
        };
        self.load().entries.iter().filter_map(exact).collect()
    }

    fn has_exact(&self) -> bool {
        self.load().entries.iter().any(|entry| matches!(entry, Typed::Exact(_)))
    }

    fn decode(&self, version: u32, json: &[u8]) -> Result<Arc<dyn ErasedEvent>, DecodeError> {
        match catch_unwind(AssertUnwindSafe(|| E::decode(version, json))) {
            Ok(decoded) => decoded.map(|event| Arc::new(event) as _),
            Err(payload) => {
                discard(payload);
                Err(DecodeError::new(DecodeErrorKind::Panicked))
            }
        }
    }

    fn reads(&self, version: u32) -> bool {
        E::reads(version)
    }

    fn for_each_pass(&self, see: &mut dyn FnMut(&Record, u64)) {
        let handlers = self.load();
        let passes = handlers.passes();
        handlers.entries.iter().for_each(|entry| see(entry.record(), passes));
    }
}
