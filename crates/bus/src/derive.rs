//! The traits through which a derived event does its work. Where one is missing, it says what the user forgot.

use std::fmt::Display;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::event::{DecodeError, EncodeError};

/// What `encode` and `decode` call: every type with both halves of serde has it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` may leave the process, but cannot be turned into JSON and back",
    label = "this event lacks `Serialize`, `Deserialize` or both",
    note = "derive both of serde's traits for `{Self}`, or write `#[event(local)]` if it never leaves the process"
)]
pub trait Json: Sized {
    /// The event as JSON.
    fn to_json(&self) -> Result<Option<Box<RawValue>>, EncodeError>;

    /// Appends the event as JSON.
    fn write_json(&self, json: &mut Vec<u8>) -> Result<bool, EncodeError>;

    /// The event from JSON.
    fn from_json(json: &[u8]) -> Result<Self, DecodeError>;
}

#[diagnostic::do_not_recommend]
impl<E: Serialize + DeserializeOwned> Json for E {
    fn to_json(&self) -> Result<Option<Box<RawValue>>, EncodeError> {
        serde_json::value::to_raw_value(self).map(Some).map_err(EncodeError::new)
    }

    fn write_json(&self, json: &mut Vec<u8>) -> Result<bool, EncodeError> {
        serde_json::to_writer(json, self).map(|()| true).map_err(EncodeError::new)
    }

    fn from_json(json: &[u8]) -> Result<Self, DecodeError> {
        serde_json::from_slice(json).map_err(DecodeError::malformed)
    }
}

/// What `decode` calls for each type of `upcast = [..]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from its older version `{Old}`",
    label = "there is no `From<{Old}>` for `{Self}`",
    note = "write `impl From<{Old}> for {Self}`"
)]
pub trait Upcast<Old> {
    /// The newer version.
    fn upcast(old: Old) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<Old>, Old> Upcast<Old> for E {
    fn upcast(old: Old) -> Self {
        Self::from(old)
    }
}

/// What `key` calls for the field that `key = ".."` names.
#[diagnostic::on_unimplemented(
    message = "a value of `{Self}` cannot be the key of an event",
    label = "this field's type has no text: it does not implement `Display`",
    note = "name a field such as a `String` or a number, or write `impl Display for {Self}`"
)]
pub trait Key {
    /// The key as text.
    fn text(&self) -> String;
}

#[diagnostic::do_not_recommend]
impl<T: Display> Key for T {
    fn text(&self) -> String {
        self.to_string()
    }
}
