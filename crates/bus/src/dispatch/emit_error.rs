//! [`EmitError`]: why an event was not emitted.

use crate::event::{DecodeError, EncodeError};
use crate::name::NameError;

/// Why an event was not emitted. No handler ran.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmitError {
    /// The bus was shut down.
    #[error("the bus is shut down")]
    Closed,
    /// The emit is inside of too many others: a handler causes the event it handles (promise B8).
    #[error("the emit is nested deeper than {limit}")]
    TooDeep {
        /// The bus's limit.
        limit: usize,
    },
    /// The event is durable, and the bus has no log to store it in.
    #[error("the event is durable and the bus has no log")]
    NoLog,
    /// A detached emit was asked for outside of a tokio runtime.
    #[error("a detached emit needs a tokio runtime and there is none")]
    NoRuntime,
    /// The name is not legal (promise B9).
    #[error(transparent)]
    Name(Box<NameError>),
    /// No type that bears the name could be read from the payload (promise B12).
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The payload cannot be written as JSON.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

impl From<NameError> for EmitError {
    fn from(error: NameError) -> Self {
        Self::Name(Box::new(error))
    }
}
