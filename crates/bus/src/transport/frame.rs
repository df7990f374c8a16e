//! [`Frame`] and [`Received`]: what goes into a transport and what comes out.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::context::EventName;

/// One message on its way to the other nodes.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame {
    name: EventName,
    payload: Bytes,
}

impl Frame {
    /// A frame for the events called `name`.
    pub fn new(name: impl Into<Arc<str>>, payload: impl Into<Bytes>) -> Self {
        Self::of(EventName::Shared(name.into()), payload.into())
    }

    pub(crate) fn of(name: EventName, payload: Bytes) -> Self {
        Self { name, payload }
    }

    /// The event's name, for transports that have a subject for each; legal as
    /// [`check_name`](crate::check_name) says.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The bytes to carry.
    #[must_use]
    pub fn payload(&self) -> &Bytes {
        &self.payload
    }
}

/// What a transport's stream yields.
#[derive(Clone, PartialEq, Eq)]
pub enum Received {
    /// A message of whoever published on the prefix.
    Frame {
        /// The channel or subject it came on, for logs.
        channel: Arc<str>,
        /// Its bytes.
        payload: Bytes,
    },
    /// The connection is gone; the transport tries to get it back.
    Down,
    /// The subscription is there again.
    Up,
}

// Payloads are in no log (promise T13).
impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame").field("name", &self.name()).field("size", &self.payload.len()).finish()
    }
}

impl fmt::Debug for Received {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frame { channel, payload } => {
                f.debug_struct("Frame").field("channel", channel).field("size", &payload.len()).finish()
            }
            Self::Down => f.write_str("Down"),
            Self::Up => f.write_str("Up"),
        }
    }
}
