//! [`Recent`]: the ids of the latest events, so that one that comes over two links is handled once (promise T3).

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};

/// A bounded memory of ids.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    /// Two hashes with keys of their own: 128 bits, so that an event is not taken for another one by chance.
    hashers: (RandomState, RandomState),
    known: HashSet<u128>,
    order: VecDeque<u128>,
}

/// Events that are remembered.
const CAPACITY: usize = 16 * 1024;

impl Recent {
    /// Notes the event; whether it is new.
    pub(crate) fn is_new(&mut self, origin: &str, id: &str) -> bool {
        let key = (origin, id);
        let hash = u128::from(self.hashers.0.hash_one(key)) << 64 | u128::from(self.hashers.1.hash_one(key));
        if !self.known.insert(hash) {
            return false;
        }
        self.order.push_back(hash);
        if self.order.len() > CAPACITY
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t03_an_event_is_new_once_for_each_origin() {
        let mut recent = Recent::default();
        assert!(recent.is_new("a", "1"));
        assert!(!recent.is_new("a", "1"));
        assert!(recent.is_new("b", "1"));
        assert!(recent.is_new("a", "2"));
    }

    #[test]
    fn t03_the_memory_is_bounded() {
        let mut recent = Recent::default();
        for n in 0..3 * CAPACITY {
            assert!(recent.is_new("a", &n.to_string()));
        }
        assert_eq!((recent.known.len(), recent.order.len()), (CAPACITY, CAPACITY));
        assert!(!recent.is_new("a", &(2 * CAPACITY).to_string()));
        assert!(recent.is_new("a", "0"));
    }
}
