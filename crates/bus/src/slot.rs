//! [`TypeSlot`]: a small dense number for each event type, so that a bus finds a type's handlers by index.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::RwLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::event::Event;

/// A type's index in the table of every bus, given out when it is first asked for.
#[derive(Debug, Default)]
pub struct TypeSlot {
    /// The index and one; 0 until it is given out.
    index: AtomicUsize,
}

/// The slots of types that have no static of their own: generics, and hand-written implementations.
static SHARED: RwLock<Option<HashMap<TypeId, &'static TypeSlot>>> = RwLock::new(None);

impl TypeSlot {
    /// An empty slot, for a `static`.
    #[must_use]
    pub const fn new() -> Self {
        Self { index: AtomicUsize::new(0) }
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

    #[inline]
    pub(crate) fn index(&self) -> usize {
        match self.index.load(Ordering::Relaxed) {
            0 => self.give_out(),
            index => index - 1,
        }
    }

    #[cold]
    fn give_out(&self) -> usize {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        let new = NEXT.fetch_add(1, Ordering::Relaxed);
        // If another thread was first, its index holds, and this one stays unused.
        match self.index.compare_exchange(0, new, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => new - 1,
            Err(index) => index - 1,
        }
    }
}
