//! [`Names`]: lists of handlers by name, for events that come without their type. A bounded cache (promise B9).

use std::sync::Arc;

use dashmap::DashMap;

use crate::dispatch::{AnySubscriber, Handlers};

pub(crate) type NamedHandlers = Handlers<Arc<dyn AnySubscriber>>;

/// Most names that are remembered at a time.
const CAPACITY: usize = 1024;

#[derive(Default)]
pub(crate) struct Names {
    lists: DashMap<Arc<str>, Arc<NamedHandlers>>,
}

impl Names {
    pub(crate) fn get(&self, name: &str) -> Option<Arc<NamedHandlers>> {
        self.lists.get(name).map(|list| Arc::clone(&list))
    }

    /// Remembers a list; returns those that had to go, to be dropped when no lock is held.
    pub(crate) fn insert(&self, name: Arc<str>, list: Arc<NamedHandlers>) -> Vec<Arc<NamedHandlers>> {
        let evicted = if self.lists.len() >= CAPACITY { self.forget(|_| true) } else { Vec::new() };
        self.lists.insert(name, list);
        evicted
    }

    /// Forgets the lists of names for which `is_stale`; returns them, to be dropped when no lock is held.
    pub(crate) fn forget(&self, is_stale: impl Fn(&str) -> bool) -> Vec<Arc<NamedHandlers>> {
        let mut forgotten = Vec::new();
        self.lists.retain(|name, list| {
            let stale = is_stale(name);
            if stale {
                forgotten.push(Arc::clone(list));
            }
            !stale
        });
        settle(&forgotten);
        forgotten
    }

    pub(crate) fn forget_one(&self, name: &str) -> Vec<Arc<NamedHandlers>> {
        let forgotten: Vec<_> = self.lists.remove(name).map(|(_, list)| list).into_iter().collect();
        settle(&forgotten);
        forgotten
    }

    pub(crate) fn len(&self) -> usize {
        self.lists.len()
    }

    /// All lists as they are now.
    pub(crate) fn lists(&self) -> Vec<Arc<NamedHandlers>> {
        self.lists.iter().map(|entry| Arc::clone(entry.value())).collect()
    }
}

fn settle(lists: &[Arc<NamedHandlers>]) {
    lists.iter().for_each(|list| list.settle_passes());
}
