//! [`TypeSlot`]: a small dense number for each event type, so that a bus finds a type's handlers by index.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{OnceLock, RwLock};

use crate::event::Event;

/// A type's index in the table of every bus, given out when it is first asked for.
#[derive(Debug, Default)]
pub struct TypeSlot {
    index: OnceLock<usize>,
}

static NEXT: AtomicUsize = AtomicUsize::new(0);

/// The slots of types that have no static of their own: generics, and hand-written implementations.
static SHARED: RwLock<Option<HashMap<TypeId, &'static TypeSlot>>> = RwLock::new(None);

impl TypeSlot {
    /// An empty slot, for a `static`.
    #[must_use]
    pub const fn new() -> Self {
        Self { index: OnceLock::new() }
    }

    /// The slot of a type that has no static of its own.
    pub fn of<E: Event>() -> &'static Self {
        let key = TypeId::of::<E>();
        let read = SHARED.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(slot) = read.as_ref().and_then(|slots| slots.get(&key)) {
            return slot;
        }
        drop(read);
        let mut write = SHARED.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        // One small leak for each type of the program, never for each event.
        write.get_or_insert_default().entry(key).or_insert_with(|| Box::leak(Box::default()))
    }

    pub(crate) fn index(&self) -> usize {
        *self.index.get_or_init(|| NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
