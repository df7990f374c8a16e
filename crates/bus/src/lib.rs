//! The event bus of oyez: typed events, subscriptions, dispatch and patterns, inside of one process.
//!
//! Programs depend on the facade crate `oyez`, which adds the derive macros; this crate is for those who build on the
//! bus.

mod ambient;
mod any_event;
mod builder;
mod bus;
mod context;
mod derive;
mod dispatch;
mod dyn_event;
mod emitted;
mod envelope;
mod event;
mod event_map;
mod failure;
mod free;
mod global;
mod id;
pub mod layer;
mod link;
mod log_rate;
mod name;
mod pattern;
mod queue;
mod registry;
mod shutdown;
mod slot;
mod stats;
mod subscribe;
pub mod testing;
mod tracker;
pub mod transport;

pub use any_event::AnyEvent;
pub use builder::Builder;
pub use bus::{EventBus, WeakEventBus};
pub use context::{Context, Source};
pub use dispatch::{Detached, Dispatch, Emit, EmitError, HandlerFuture, HandlerResult, Json, Outgoing, Payload};
pub use dyn_event::{DynEvent, ErasedEvent};
pub use emitted::{Emitted, HandlersFailed, NotSent, NotSentReason};
pub use envelope::RejectedReason;
pub use event::{DecodeError, DecodeErrorKind, EncodeError, Event};
pub use event_map::EventMap;
pub use failure::{BoxError, Failure, HandlerError, HandlerErrorKind};
pub use free::{emit, emit_detached, on, on_pattern, on_sync, once, post};
pub use id::{EventId, IdError, SubscriptionId};
pub use link::{Attach, Link, LinkClosed, LinkEvent, LinkEvents, LinkState, LinkStatus, Rejected};
pub use name::{NameError, check_name};
pub use pattern::{IntoPattern, Pattern, PatternError};
pub use queue::Overflow;
pub use registry::Listener;
pub use shutdown::Shutdown;
pub use stats::Stats;
pub use subscribe::{
    EventStream, Handler, HandlerWith, Lagged, NoMoreEvents, Outcome, Subscribe, SubscribeMap, Subscription,
    SubscriptionGuard, WaitFor, With,
};

/// What the derive macros write down. Not for use by hand: it changes without notice.
#[doc(hidden)]
pub mod __private {
    pub use std;

    pub use serde_json::value::RawValue;
    pub use typetag;

    pub use crate::derive::{Json, Key, Upcast};
    pub use crate::dispatch::{Begun, EmitOptions, State};
    pub use crate::event::{DecodeError, DecodeErrorKind, EncodeError};
    pub use crate::event_map::{MapVisitor, is_new_name, same_name};
    pub use crate::slot::TypeSlot;
}
