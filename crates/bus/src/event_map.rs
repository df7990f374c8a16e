//! [`EventMap`]: a closed set of events as one enum, so that a `match` over them is checked by the compiler.

use std::sync::Arc;

use crate::event::{DecodeError, Event};

/// A closed set of events: an enum whose variants each hold the `Arc` of one event type (promise B17).
///
/// ```ignore
/// #[derive(EventMap)]
/// enum Shop { UserCreated(Arc<UserCreated>), OrderPaid(Arc<OrderPaid>) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event map",
    label = "this type does not implement `EventMap`",
    note = "write `#[derive(EventMap)]` above an enum whose variants each hold one `Arc<SomeEvent>`"
)]
pub trait EventMap: Send + Sized + 'static {
    /// The names of the events, in the order of the variants; no name stands twice.
    const NAMES: &'static [&'static str];

    /// Reads the payload of the event `name` at `version` from JSON text.
    ///
    /// # Errors
    /// [`UnknownName`](crate::DecodeErrorKind::UnknownName) if no variant has that name, and what
    /// [`Event::decode`] says.
    fn decode(name: &str, version: u32, json: &[u8]) -> Result<Self, DecodeError>;

    /// Shows each variant to the visitor, in order.
    #[doc(hidden)]
    fn visit<V: MapVisitor<Self>>(visitor: &mut V);
}

/// Sees the variants of an [`EventMap`].
#[doc(hidden)]
pub trait MapVisitor<M> {
    /// One variant: its event type, and how to wrap an event of it.
    fn variant<E: Event>(&mut self, wrap: fn(Arc<E>) -> M);
}

/// Whether two names are the same, for the derive's check while compiling.
#[doc(hidden)]
#[must_use]
pub const fn same_name(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// Whether `names[index]` is none of the names before it, for the derive's check while compiling.
#[doc(hidden)]
#[must_use]
pub const fn is_new_name(names: &[&str], index: usize) -> bool {
    let mut i = 0;
    while i < index {
        if same_name(names[i], names[index]) {
            return false;
        }
        i += 1;
    }
    true
}
