//! [`Frame`] and [`Received`]: what goes into a transport and what comes out.

use std::sync::Arc;

use bytes::Bytes;

/// One message on its way to the other nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    name: Arc<str>,
    payload: Bytes,
}

impl Frame {
    /// A frame for the events called `name`.
    pub fn new(name: impl Into<Arc<str>>, payload: impl Into<Bytes>) -> Self {
        Self { name: name.into(), payload: payload.into() }
    }

    /// The event's name, for transports that have a subject for each; legal as
    /// [`check_name`](crate::check_name) says.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bytes to carry.
    #[must_use]
    pub fn payload(&self) -> &Bytes {
        &self.payload
    }
}

/// What a transport's stream yields.
#[derive(Debug, Clone, PartialEq, Eq)]
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
