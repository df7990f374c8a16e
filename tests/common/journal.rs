//! [`Journal`]: what handlers did, in order.

use std::sync::{Arc, Mutex, PoisonError};

/// A list that handlers write to and the test reads.
#[derive(Debug)]
pub(crate) struct Journal<T>(Arc<Mutex<Vec<T>>>);

impl<T> Journal<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    pub(crate) fn push(&self, entry: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    /// The entries since the last call.
    pub(crate) fn take(&self) -> Vec<T> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> Clone for Journal<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}
