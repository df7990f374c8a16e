//! [`DynEvent`]: events of different types in one `Vec`, file or fixture.

use std::any::Any;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::event::{EncodeError, Event};

/// An event of a type that is known at run time only. Every [`Event`] is one.
pub trait ErasedEvent: Any + Send + Sync {
    /// The event's name.
    fn name(&self) -> &'static str;

    /// The version of its payload.
    fn version(&self) -> u32;

    /// The event as JSON; `None` if it is local.
    ///
    /// # Errors
    /// What [`Event::encode`] says.
    fn to_json(&self) -> Result<Option<Box<RawValue>>, EncodeError>;

    #[doc(hidden)]
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;

    #[doc(hidden)]
    fn as_any(&self) -> &dyn Any;
}

impl<E: Event> ErasedEvent for E {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn version(&self) -> u32 {
        E::VERSION
    }

    fn to_json(&self) -> Result<Option<Box<RawValue>>, EncodeError> {
        self.encode()
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// An event that can be written and read as `Box<dyn DynEvent>`: `#[event(boxed)]` registers the type with typetag
/// under `name@version` (promise B18).
///
/// The JSON is `{"event": "user.created@1", "data": {..}}`. It is for files and fixtures; what travels to other
/// processes has an envelope of its own.
#[typetag::serde(tag = "event", content = "data")]
pub trait DynEvent: ErasedEvent {}
