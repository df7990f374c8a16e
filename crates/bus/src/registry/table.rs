//! [`Table`]: topics by the dense index of their type, found with two loads and no lock.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::registry::topic::AnyTopic;

/// Chunks that double in size, each made when it is first needed and never moved.
#[derive(Default)]
pub(crate) struct Table {
    chunks: [OnceLock<Box<[OnceLock<Place>]>>; CHUNKS],
}

const FIRST: usize = 32;
const CHUNKS: usize = 26;

/// A topic, and how many handlers it has: an emit that nobody listens to reads only that number.
pub(crate) struct Place {
    handlers: AtomicUsize,
    pub(crate) topic: Box<dyn AnyTopic>,
}

impl Place {
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.handlers.load(Ordering::Acquire) == 0
    }

    /// Notes the number of handlers after the topic's list has changed.
    pub(crate) fn update(&self) {
        self.handlers.store(self.topic.len(), Ordering::Release);
    }
}

impl Table {
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&Place> {
        let (chunk, offset) = locate(index);
        self.chunks.get(chunk)?.get()?.get(offset)?.get()
    }

    /// The place at `index`, with the topic that `make` makes if it is new.
    pub(crate) fn get_or_insert(&self, index: usize, make: impl FnOnce() -> Box<dyn AnyTopic>) -> &Place {
        let (chunk, offset) = locate(index);
        let places = self.chunks[chunk].get_or_init(|| (0..FIRST << chunk).map(|_| OnceLock::new()).collect());
        places[offset].get_or_init(|| {
            let topic = make();
            Place { handlers: AtomicUsize::new(topic.len()), topic }
        })
    }
}

#[inline]
fn locate(index: usize) -> (usize, usize) {
    let shifted = index + FIRST;
    let chunk = (shifted.ilog2() - FIRST.ilog2()) as usize;
    (chunk, shifted - (FIRST << chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_has_a_place_of_its_own() {
        let mut expected = (0, 0);
        for index in 0..100_000 {
            assert_eq!(locate(index), expected);
            expected.1 += 1;
            if expected.1 == FIRST << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
    }
}
