//! [`Event`]: what a type needs to travel over the bus, and the errors of turning one into JSON and back.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::event_map::MapVisitor;
use crate::slot::TypeSlot;

/// Something that happened: a plain, owned value with a name.
///
/// Derive it. The derive checks the name when the program is compiled (promise B9), writes the JSON side for events
/// that may leave the process, and gives the type its place on the emit path:
///
/// ```ignore
/// #[derive(Serialize, Deserialize, Event)]
/// #[event(name = "user.created")]
/// struct UserCreated { id: u64 }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event",
    label = "this type does not implement `Event`",
    note = "write `#[derive(Event)]` and `#[event(name = \"..\")]` above the type",
    note = "a generic event needs parameters that are `Send`, `Sync`, `'static` and, unless it is `local`, have serde's traits"
)]
pub trait Event: Send + Sync + Sized + 'static {
    /// The event's name: 1 to 255 bytes, no whitespace, control characters, `*`, `>` or empty segments (promise B9).
    const NAME: &'static str;

    /// The version of the payload's shape, from 1 up (promise B19).
    const VERSION: u32 = 1;

    /// Whether the event must be stored in the log before anything else happens.
    const DURABLE: bool = false;

    /// Whether the event never leaves the process. Such an event has no JSON form.
    const LOCAL: bool = false;

    /// The event as JSON; `None` if it is [`LOCAL`](Event::LOCAL).
    ///
    /// # Errors
    /// The type's `Serialize` failed, or made something JSON does not have (a map with keys that are not text).
    fn encode(&self) -> Result<Option<Box<RawValue>>, EncodeError>;

    /// Appends what [`encode`](Event::encode) gives; `false` if that is nothing. The derive overrides it, and so spares the
    /// copy. After an error, or a panic, what was appended is of no use.
    #[doc(hidden)]
    fn write(&self, json: &mut Vec<u8>) -> Result<bool, EncodeError> {
        let encoded = self.encode()?;
        json.extend_from_slice(encoded.as_ref().map_or("", |encoded| encoded.get()).as_bytes());
        Ok(encoded.is_some())
    }

    /// Reads a payload of `version` from JSON text, through the older types of `upcast` where it is not the current
    /// version (promise B19).
    ///
    /// # Errors
    /// [`DecodeErrorKind::UnknownVersion`] if [`reads`](Event::reads) says no; [`DecodeErrorKind::Malformed`] if the
    /// payload is not of that version's shape.
    fn decode(version: u32, json: &[u8]) -> Result<Self, DecodeError>;

    /// Whether [`decode`](Event::decode) knows payloads of `version`.
    #[must_use]
    fn reads(version: u32) -> bool {
        version == Self::VERSION
    }

    /// The key under which a durable log keeps events in order; `None` without `key = ".."`.
    fn key(&self) -> Option<String> {
        None
    }

    /// Shows the event to a visitor of an event map. Here, so that a map's derive asks each type for `Event` and nothing
    /// else: a type that is none is reported once.
    #[doc(hidden)]
    fn visit_map<M, V: MapVisitor<M>>(visitor: &mut V, wrap: fn(Arc<Self>) -> M) {
        visitor.variant(wrap);
    }

    /// The type's place in every bus's table. The derive overrides it with a static of the type's own, which is
    /// faster than this look-up.
    #[doc(hidden)]
    fn slot() -> &'static TypeSlot {
        TypeSlot::of::<Self>()
    }
}

/// An event could not be turned into JSON.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the event cannot be written as JSON")]
pub struct EncodeError {
    source: Arc<serde_json::Error>,
}

impl EncodeError {
    pub(crate) fn new(source: serde_json::Error) -> Self {
        Self { source: Arc::new(source) }
    }
}

/// A payload could not be turned into an event.
#[derive(Debug)]
pub struct DecodeError {
    inner: Box<Inner>,
}

#[derive(Debug)]
struct Inner {
    kind: DecodeErrorKind,
    source: Option<serde_json::Error>,
}

/// Why a payload could not be turned into an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The JSON is broken, or lacks what the type needs.
    Malformed,
    /// The payload's version is newer than the type, or older than everything the type upcasts from.
    UnknownVersion {
        /// The version the payload bears.
        version: u32,
    },
    /// The name belongs to no variant of the event map.
    UnknownName,
    /// The event is local: it has no JSON form.
    Local,
    /// The type's own `Deserialize` panicked.
    Panicked,
}

impl DecodeError {
    #[doc(hidden)]
    #[must_use]
    pub fn new(kind: DecodeErrorKind) -> Self {
        Self { inner: Box::new(Inner { kind, source: None }) }
    }

    pub(crate) fn malformed(source: serde_json::Error) -> Self {
        Self { inner: Box::new(Inner { kind: DecodeErrorKind::Malformed, source: Some(source) }) }
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> DecodeErrorKind {
        self.inner.kind
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inner.kind {
            DecodeErrorKind::Malformed => f.write_str("the payload does not fit the event's type"),
            DecodeErrorKind::UnknownVersion { version } => write!(f, "payload version {version} is not known"),
            DecodeErrorKind::UnknownName => f.write_str("the name belongs to no variant of the event map"),
            DecodeErrorKind::Panicked => f.write_str("the type's `Deserialize` panicked"),
            DecodeErrorKind::Local => f.write_str("the event is local and has no JSON form"),
        }
    }
}

impl std::error::Error for DecodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.inner.source.as_ref().map(|source| source as _)
    }
}
