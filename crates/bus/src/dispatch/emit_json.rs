//! [`Json`]: an event that is known by its name and its JSON only (promise B12).

use std::mem;
use std::sync::Arc;
use std::task;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::bus::EventBus;
use crate::context::EventName;
use crate::dispatch::emit::{Emit, Entry, enter};
use crate::dispatch::emit_error::EmitError;
use crate::dispatch::named::{NameHeardBy, newest_version};
use crate::dispatch::outgoing::{Begun, Outgoing, State};
use crate::emitted::Emitted;
use crate::event::EncodeError;
use crate::name::check_name;

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
        NameHeardBy::find(bus, &self.name)
    }

    fn leaves(&self) -> bool {
        true
    }

    fn send_unheard(state: &mut State<Self>, bus: &EventBus) -> Result<Emitted, EmitError> {
        let State::Ready(json, options) = mem::replace(state, State::Done) else { return Err(EmitError::Closed) };
        let Self { name, version, payload } = json;
        let (version, json) = (version.unwrap_or_else(|| newest_version(bus, &name)), payload?);
        let Entry { pass, .. } = enter(bus, EventName::Shared(name), version, options)?;
        Ok(bus.shared.links.send(&pass.context, |out| {
            out.extend_from_slice(json.get().as_bytes());
            Ok(true)
        }))
    }

    fn begin(
        state: &mut State<Self>,
        heard: NameHeardBy,
        bus: &EventBus,
        task: &mut task::Context<'_>,
    ) -> Result<Begun, EmitError> {
        let State::Ready(json, options) = mem::replace(state, State::Done) else { return Err(EmitError::Closed) };
        let Self { name, version, payload } = json;
        let (event, version) = heard.read(bus, version, payload?)?;
        let Entry { pass, mode, scope: _scope } = enter(bus, EventName::Shared(name), version, options)?;
        let emitted = bus.shared.links.send(&pass.context, |json| event.write(json));
        Ok(heard.start(event, &pass, mode, emitted, task))
    }
}
