//! [`Json`]: an event that is known by its name and its JSON only (promise B12).

use std::fmt;
use std::mem;
use std::sync::Arc;
use std::task;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::any_event::{AnyEvent, RawEvent};
use crate::bus::EventBus;
use crate::context::EventName;
use crate::dispatch::emit::{Emit, Entry, enter};
use crate::dispatch::emit_error::EmitError;
use crate::dispatch::outgoing::{Begun, Outgoing, State};
use crate::dispatch::turns::{Progress, Turns, first_pass};
use crate::dyn_event::ErasedEvent;
use crate::event::EncodeError;
use crate::name::check_name;
use crate::registry::{AnyTopic, NamedHandlers};

/// A name and a payload, on the way to the handlers of that name, typed or not.
#[derive(Debug)]
pub struct Json {
    name: Arc<str>,
    version: Option<u32>,
    payload: Payload,
}

/// The payload as JSON, or why it cannot be written so.
type Payload = Result<Box<RawValue>, EncodeError>;

impl Json {
    pub(crate) fn new(name: Arc<str>, payload: &impl Serialize) -> Self {
        Self { name, version: None, payload: to_raw_value(payload).map_err(EncodeError::new) }
    }
}

impl Emit<'_, Json> {
    /// The version of the payload (promise B19). Without it the payload has the newest version of the types that are
    /// subscribed under the name, or version 1.
    pub fn version(mut self, version: u32) -> Self {
        if let State::Ready(json, _) = &mut self.state {
            json.version = Some(version);
        }
        self
    }
}

/// The handlers of a name.
#[doc(hidden)]
pub struct NameHeardBy(Arc<NamedHandlers>);

impl Outgoing for Json {
    type Heard<'b> = NameHeardBy;

    fn check(&self, bus: &EventBus) -> Result<(), EmitError> {
        check_name(&self.name)?;
        if let Err(error) = &self.payload {
            return Err(error.clone().into());
        }
        let durable = bus.shared.registry.types_of(&self.name).iter().any(|topic| topic.is_durable());
        if durable { Err(EmitError::NoLog) } else { Ok(()) }
    }

    fn heard(&self, bus: &EventBus) -> Option<NameHeardBy> {
        let handlers = bus.shared.registry.named(&self.name);
        if handlers.entries.is_empty() { None } else { Some(NameHeardBy(handlers)) }
    }

    fn begin(
        state: &mut State<Self>,
        NameHeardBy(handlers): NameHeardBy,
        bus: &EventBus,
        task: &mut task::Context<'_>,
    ) -> Result<Begun, EmitError> {
        let State::Ready(json, options) = mem::replace(state, State::Done) else { return Err(EmitError::Closed) };
        let Self { name, version, payload } = json;
        let mut types = bus.shared.registry.types_of(&name);
        types.retain(|topic| topic.has_exact());
        let newest = types.iter().map(|topic| topic.version()).max().unwrap_or(1);
        let version = version.unwrap_or(newest);
        let json = payload?;
        let decoded = decode(bus, types, version, &json)?;
        let mut event = Some(AnyEvent::raw(RawEvent { name: Arc::clone(&name), version, json, decoded }));
        let Entry { pass, mode, scope: _scope } = enter(bus, EventName::Shared(name), version, options)?;
        let mut progress = Progress::default();
        first_pass(&mut progress, &handlers, &mut event, &pass, mode, task);
        Ok(match progress.finished() {
            Some(emitted) => Begun::Done(emitted),
            None => Begun::Waiting(Box::pin(Turns::new(handlers, event, pass.context.clone(), mode, progress))),
        })
    }
}

/// Offers the payload to each type that has handlers. An error only if there are such types that read the version and
/// none of them can be read from the payload.
fn decode(
    bus: &EventBus,
    types: Vec<&dyn AnyTopic>,
    version: u32,
    json: &RawValue,
) -> Result<Vec<Arc<dyn ErasedEvent>>, EmitError> {
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
            Err(error.into())
        }
        _ => Ok(decoded),
    }
}

impl fmt::Debug for NameHeardBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NameHeardBy({} handlers)", self.0.entries.len())
    }
}
