//! The short ways of [`EventBus::global`].

use std::sync::Arc;

use crate::any_event::AnyEvent;
use crate::bus::EventBus;
use crate::context::Context;
use crate::dispatch::{Detached, EmitError};
use crate::emitted::Emitted;
use crate::event::Event;
use crate::pattern::{IntoPattern, PatternError};
use crate::subscribe::{Handler, Outcome, Subscription};

/// [`EventBus::on`] of the global bus.
pub fn on<E: Event, M, H: Handler<Arc<E>, M>>(handler: H) -> Subscription {
    EventBus::global().on(handler)
}

/// [`EventBus::once`] of the global bus.
pub fn once<E: Event, M, H: Handler<Arc<E>, M>>(handler: H) -> Subscription {
    EventBus::global().once(handler)
}

/// [`EventBus::on_sync`] of the global bus.
pub fn on_sync<E, R, F>(handler: F) -> Subscription
where
    E: Event,
    R: Outcome,
    F: Fn(&E, &Context) -> R + Send + Sync + 'static,
{
    EventBus::global().on_sync(handler)
}

/// [`EventBus::on_pattern`] of the global bus.
///
/// # Errors
/// The text is no legal pattern.
pub fn on_pattern<M, H: Handler<AnyEvent, M>>(
    pattern: impl IntoPattern,
    handler: H,
) -> Result<Subscription, PatternError> {
    EventBus::global().on_pattern(pattern, handler)
}

/// [`EventBus::emit`] of the bus that is global when this is first polled.
///
/// # Errors
/// What [`EventBus::emit`] says.
///
/// # Cancel safety
/// That of [`EventBus::emit`].
pub async fn emit<E: Event>(event: E) -> Result<Emitted, EmitError> {
    EventBus::global().emit(event).await
}

/// [`EventBus::post`] of the global bus.
///
/// # Errors
/// What [`EventBus::post`] says.
pub fn post<E: Event>(event: E) -> Result<(), EmitError> {
    EventBus::global().post(event)
}

/// [`EventBus::emit_detached`] of the global bus.
///
/// # Errors
/// What [`EventBus::emit_detached`] says.
pub fn emit_detached<E: Event>(event: E) -> Result<Detached, EmitError> {
    EventBus::global().emit_detached(event)
}
