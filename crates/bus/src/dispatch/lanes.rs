//! [`Lanes`]: what emitting threads write on the way, kept apart so that they do not fight over cache lines.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;
use crossbeam_utils::atomic::AtomicCell;

/// A counter and a spare value for each of a few groups of threads.
pub(crate) struct Lanes<T>([CachePadded<Lane<T>>; LANES]);

const LANES: usize = 4;

struct Lane<T> {
    count: AtomicU64,
    spare: AtomicCell<Option<Box<T>>>,
}

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        Self(std::array::from_fn(|_| CachePadded::new(Lane { count: AtomicU64::new(0), spare: AtomicCell::new(None) })))
    }
}

impl<T> Lanes<T> {
    #[inline]
    pub(crate) fn count(&self) {
        self.mine().count.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn counted(&self) -> u64 {
        self.0.iter().map(|lane| lane.count.load(Ordering::Relaxed)).sum()
    }

    /// The count since the last call of this.
    pub(crate) fn take_counted(&self) -> u64 {
        self.0.iter().map(|lane| lane.count.swap(0, Ordering::Relaxed)).sum()
    }

    /// The spare value, if no other emit has it.
    #[inline]
    pub(crate) fn take(&self) -> Option<Box<T>> {
        self.mine().spare.take()
    }

    /// Makes `spare` the spare value.
    #[inline]
    pub(crate) fn leave(&self, spare: Box<T>) {
        self.mine().spare.store(Some(spare));
    }

    #[inline]
    fn mine(&self) -> &Lane<T> {
        &self.0[lane() % LANES]
    }
}

/// The calling thread's number.
#[inline]
fn lane() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static MINE: usize = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    MINE.try_with(|mine| *mine).unwrap_or(0)
}
