//! [`NameHeardBy`]: the handlers of a name, for events that come as JSON, and what its types make of the payload (promise
//! B12).

use std::fmt;
use std::sync::Arc;
use std::task;

use serde_json::value::RawValue;

use crate::ambient::Pass;
use crate::any_event::{AnyEvent, RawEvent};
use crate::bus::EventBus;
use crate::dispatch::outgoing::Begun;
use crate::dispatch::turns::{Dispatch, Progress, Turns, first_pass};
use crate::dyn_event::ErasedEvent;
use crate::emitted::Emitted;
use crate::event::DecodeError;
use crate::registry::{AnyTopic, Named};

/// The handlers of a name.
#[doc(hidden)]
pub struct NameHeardBy(Arc<Named>);

impl NameHeardBy {
    /// The handlers of `name`, if there are any.
    pub(crate) fn find(bus: &EventBus, name: &str) -> Option<Self> {
        let named = bus.shared.registry.named(name);
        if named.handlers.entries.is_empty() { None } else { Some(Self(named)) }
    }

    /// The name, as it is known here.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.0.name
    }

    /// Polls each handler once.
    pub(super) fn start(
        self,
        event: AnyEvent,
        pass: &Pass,
        mode: Dispatch,
        emitted: Emitted,
        task: &mut task::Context<'_>,
    ) -> Begun {
        let handlers = &self.0.handlers;
        let mut event = Some(event);
        let mut progress = Progress::new(emitted);
        first_pass(&mut progress, handlers, &mut event, pass, mode, task);
        match progress.finished() {
            Some(emitted) => Begun::Done(emitted),
            None => {
                let turns = Turns::new(Arc::clone(handlers), event, pass.context.clone(), mode, progress);
                Begun::Waiting(Box::pin(turns))
            }
        }
    }

    /// Reads a payload of `version`, or of the newest version that the name's types have. An error only if there are types
    /// with handlers that read the version, and none of them can be read from the payload.
    pub(super) fn read(
        &self,
        bus: &EventBus,
        version: Option<u32>,
        json: Box<RawValue>,
    ) -> Result<(AnyEvent, u32), DecodeError> {
        let types = bus.shared.registry.types_heard(&self.0);
        let version = version.unwrap_or_else(|| newest(types.clone()));
        let decoded = decode(bus, types, version, &json)?;
        let event = AnyEvent::raw(RawEvent { name: Arc::clone(&self.0.name), version, json, decoded });
        Ok((event, version))
    }
}

/// The version that a payload has of which nobody said it.
pub(super) fn newest_version(bus: &EventBus, name: &str) -> u32 {
    let named = bus.shared.registry.named(name);
    newest(bus.shared.registry.types_heard(&named))
}

fn newest<'t>(types: impl Iterator<Item = &'t dyn AnyTopic>) -> u32 {
    types.map(|topic| topic.version()).max().unwrap_or(1)
}

/// Offers the payload to each type.
fn decode<'t>(
    bus: &EventBus,
    types: impl Iterator<Item = &'t dyn AnyTopic>,
    version: u32,
    json: &RawValue,
) -> Result<Vec<Arc<dyn ErasedEvent>>, DecodeError> {
    let mut decoded = Vec::new();
    let mut error = None;
    for topic in types {
        if !topic.reads(version) {
            bus.shared.counts.unknown_version();
            continue;
        }
        match topic.decode(version, json.get().as_bytes()) {
            Ok(event) => decoded.push(event),
            Err(failed) => error = error.or(Some(failed)),
        }
    }
    match error {
        Some(error) if decoded.is_empty() => {
            bus.shared.counts.undecodable();
            Err(error)
        }
        _ => Ok(decoded),
    }
}

impl fmt::Debug for NameHeardBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NameHeardBy({} handlers)", self.0.handlers.entries.len())
    }
}
