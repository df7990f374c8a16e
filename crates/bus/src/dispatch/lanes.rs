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

impl<T: Default> Default for Lanes<T> {
    fn default() -> Self {
        let lane = || Lane { count: AtomicU64::new(0), spare: AtomicCell::new(Some(Box::default())) };
        Self(std::array::from_fn(|_| CachePadded::new(lane())))
    }
}

impl<T> Lanes<T> {
    #[inline]
    pub(crate) fn count(&self, lane: usize) {
        self.at(lane).count.fetch_add(1, Ordering::Relaxed);
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
    pub(crate) fn take(&self, lane: usize) -> Option<Box<T>> {
        self.at(lane).spare.take()
    }

    /// Makes `spare` the spare value.
    #[inline]
    pub(crate) fn leave(&self, lane: usize, spare: Box<T>) {
        self.at(lane).spare.store(Some(spare));
    }

    #[inline]
    fn at(&self, lane: usize) -> &Lane<T> {
        &self.0[lane % LANES]
    }
}

/// The number of a thread that begins to emit, from 1 up.
pub(crate) fn next_lane() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
