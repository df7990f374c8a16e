//! [`AnyEvent`]: an event as pattern handlers get it, whatever its type and wherever it comes from.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::dyn_event::ErasedEvent;
use crate::event::{EncodeError, Event};

/// An event of any type, local or remote (promise B12). Cloning is cheap.
#[derive(Clone)]
pub struct AnyEvent {
    repr: Repr,
}

#[derive(Clone)]
enum Repr {
    Typed(Arc<dyn ErasedEvent>),
    Raw(Arc<RawEvent>),
}

/// An event that came as JSON, with what its name's registered types made of it.
pub(crate) struct RawEvent {
    pub(crate) name: Arc<str>,
    pub(crate) version: u32,
    pub(crate) json: Box<RawValue>,
    pub(crate) decoded: Vec<Arc<dyn ErasedEvent>>,
}

impl AnyEvent {
    pub(crate) fn typed<E: Event>(event: &Arc<E>) -> Self {
        Self { repr: Repr::Typed(Arc::<E>::clone(event)) }
    }

    pub(crate) fn raw(event: RawEvent) -> Self {
        Self { repr: Repr::Raw(Arc::new(event)) }
    }

    /// The event's name.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.repr {
            Repr::Typed(event) => event.name(),
            Repr::Raw(event) => &event.name,
        }
    }

    /// The version of the payload.
    #[must_use]
    pub fn version(&self) -> u32 {
        match &self.repr {
            Repr::Typed(event) => event.version(),
            Repr::Raw(event) => event.version,
        }
    }

    /// The event as an `E`; `None` if it is of another type, or came as JSON that an `E` cannot be read from.
    ///
    /// An event that came as JSON and of whose type no handler is subscribed is decoded by this call.
    #[must_use]
    pub fn downcast<E: Event>(&self) -> Option<Arc<E>> {
        match &self.repr {
            Repr::Typed(event) => same_type(event),
            Repr::Raw(event) => event.decoded.iter().find_map(same_type).or_else(|| event.read()),
        }
    }

    /// What the registered types made of an event that came as JSON, or the event itself; decodes nothing.
    pub(crate) fn decoded<E: Event>(&self) -> Option<Arc<E>> {
        match &self.repr {
            Repr::Typed(event) => same_type(event),
            Repr::Raw(event) => event.decoded.iter().find_map(same_type),
        }
    }

    /// The event as JSON, made by this call; `None` for a local event, and for one that cannot be written as JSON:
    /// [`encode`](AnyEvent::encode) tells why.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        let text = self.encode().ok().flatten()?;
        serde_json::from_str(text.get()).ok()
    }

    /// The event as JSON text; `None` for a local event.
    ///
    /// # Errors
    /// The type's `Serialize` failed.
    pub fn encode(&self) -> Result<Option<Box<RawValue>>, EncodeError> {
        match &self.repr {
            Repr::Typed(event) => event.to_json(),
            Repr::Raw(event) => Ok(Some(event.json.clone())),
        }
    }

    /// Appends the event as JSON text; `false` for a local event.
    pub(crate) fn write(&self, json: &mut Vec<u8>) -> Result<bool, EncodeError> {
        let encoded = match &self.repr {
            Repr::Typed(event) => event.to_json()?,
            Repr::Raw(event) => {
                json.extend_from_slice(event.json.get().as_bytes());
                return Ok(true);
            }
        };
        json.extend_from_slice(encoded.as_ref().map_or("", |encoded| encoded.get()).as_bytes());
        Ok(encoded.is_some())
    }
}

impl RawEvent {
    fn read<E: Event>(&self) -> Option<Arc<E>> {
        let fits = *self.name == *E::NAME && E::reads(self.version);
        fits.then(|| E::decode(self.version, self.json.get().as_bytes()).ok().map(Arc::new)).flatten()
    }
}

fn same_type<E: Event>(event: &Arc<dyn ErasedEvent>) -> Option<Arc<E>> {
    // Asked by reference first, so that a miss costs no count of the `Arc`.
    let erased: &dyn ErasedEvent = &**event;
    let any: &dyn Any = erased.as_any();
    any.is::<E>().then(|| Arc::clone(event).into_any().downcast().ok()).flatten()
}

impl fmt::Debug for AnyEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyEvent").field("name", &self.name()).field("version", &self.version()).finish_non_exhaustive()
    }
}
