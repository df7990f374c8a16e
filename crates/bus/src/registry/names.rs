//! [`Names`]: lists of handlers by name, for events that come without their type. A bounded cache (promise B9).

use std::sync::Arc;

use dashmap::DashMap;

use crate::dispatch::{AnySubscriber, Handlers};

pub(crate) type NamedHandlers = Handlers<Arc<dyn AnySubscriber>>;

/// What a name means to events that come without their type, until a subscription changes that.
pub(crate) struct Named {
    pub(crate) name: Arc<str>,
    pub(crate) handlers: Arc<NamedHandlers>,
    /// The indexes of its types that have handlers of their own.
    pub(crate) types: Box<[usize]>,
}

/// Most names that are remembered at a time.
const CAPACITY: usize = 1024;

#[derive(Default)]
pub(crate) struct Names {
    lists: DashMap<Arc<str>, Arc<Named>>,
}

impl Names {
    pub(crate) fn get(&self, name: &str) -> Option<Arc<Named>> {
        self.lists.get(name).map(|list| Arc::clone(&list))
    }

    /// Remembers a list; returns those that had to go, to be dropped when no lock is held.
    pub(crate) fn insert(&self, list: Arc<Named>) -> Vec<Arc<Named>> {
        let evicted = if self.lists.len() >= CAPACITY { self.forget(|_| true) } else { Vec::new() };
        self.lists.insert(Arc::clone(&list.name), list);
        evicted
    }

    /// Forgets the lists of names for which `is_stale`; returns them, to be dropped when no lock is held.
    pub(crate) fn forget(&self, is_stale: impl Fn(&str) -> bool) -> Vec<Arc<Named>> {
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

    pub(crate) fn forget_one(&self, name: &str) -> Vec<Arc<Named>> {
        let forgotten: Vec<_> = self.lists.remove(name).map(|(_, list)| list).into_iter().collect();
        settle(&forgotten);
        forgotten
    }

    pub(crate) fn len(&self) -> usize {
        self.lists.len()
    }

    /// All lists as they are now.
    pub(crate) fn lists(&self) -> Vec<Arc<Named>> {
        self.lists.iter().map(|entry| Arc::clone(entry.value())).collect()
    }
}

fn settle(lists: &[Arc<Named>]) {
    lists.iter().for_each(|list| list.handlers.settle_passes());
}
