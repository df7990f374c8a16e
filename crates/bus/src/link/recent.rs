//! [`Recent`]: the ids of the latest events, so that one that comes over two links is handled once (promise T3).

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

/// A bounded memory of ids.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    /// Of each id only a hash is kept. Its key is random: nobody can make two ids that have the same one, and chance does
    /// so once in 2^50 events.
    keyed: RandomState,
    known: HashSet<u64, BuildHasherDefault<AsIs>>,
    order: VecDeque<u64>,
}

/// Hashes what is a hash already.
#[derive(Debug, Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0 << 8 | u64::from(byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Events that are remembered.
const CAPACITY: usize = 16 * 1024;

impl Recent {
    /// Notes the event; whether it is new.
    pub(crate) fn is_new(&mut self, origin: &str, id: &str) -> bool {
        let hash = self.keyed.hash_one((origin, id));
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
