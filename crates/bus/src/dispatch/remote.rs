//! [`Remote`]: an event of another process, on the way to the handlers of this one.

use std::task;
use std::time::SystemTime;

use serde_json::value::RawValue;

use crate::ambient::Pass;
use crate::bus::EventBus;
use crate::context::{Context, EventName, Given, Reach, RemoteContext};
use crate::dispatch::named::NameHeardBy;
use crate::dispatch::outgoing::Begun;
use crate::emitted::Emitted;
use crate::event::DecodeError;

/// An event that another process emitted.
pub(crate) struct Remote {
    pub(crate) version: Option<u32>,
    pub(crate) data: Box<RawValue>,
    pub(crate) given: Given,
    pub(crate) time: Option<SystemTime>,
    pub(crate) depth: usize,
    pub(crate) reach: Reach,
}

/// Decodes the event and polls each handler once. It is not sent on: it has reached the other nodes already.
pub(crate) fn begin_remote(
    bus: &EventBus,
    heard: NameHeardBy,
    remote: Remote,
    task: &mut task::Context<'_>,
) -> Result<Begun, DecodeError> {
    let Remote { version, data, given, time, depth, reach } = remote;
    let (event, version) = heard.read(bus, version, data)?;
    let name = heard.name().clone();
    let context = RemoteContext { name: EventName::Shared(name), version, depth, time, given, reach };
    let pass = Pass::begin(Context::remote(context));
    Ok(heard.start(event, &pass, bus.shared.dispatch, Emitted::default(), task))
}
