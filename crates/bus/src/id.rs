//! [`EventId`] and [`SubscriptionId`].

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

use crate::name::MAX_BYTES;

/// The id of one emitted event: a UUIDv7 (RFC 9562) where oyez makes it, any text of 1 to 255 bytes where the caller
/// or a foreign system does (promise B10).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(Arc<str>);

/// A text is no legal id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an id has {len} bytes; 1 to 255 are allowed")]
pub struct IdError {
    len: usize,
}

impl EventId {
    pub(crate) fn random() -> Self {
        let mut buffer = Uuid::encode_buffer();
        Self(Arc::from(&*Uuid::now_v7().hyphenated().encode_lower(&mut buffer)))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for EventId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        match text.len() {
            1..=MAX_BYTES => Ok(Self(text.into())),
            len => Err(IdError { len }),
        }
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventId({})", self.0)
    }
}

/// The id of a subscription, never used twice in a process, whatever the bus (promise B6). A later subscription of a bus
/// has a greater id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubscriptionId(pub(crate) u64);

impl SubscriptionId {
    pub(crate) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Display for SubscriptionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
