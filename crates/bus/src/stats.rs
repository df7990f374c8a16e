//! [`Stats`]: what a bus counts besides its subscriptions.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::registry::Registry;

/// The counts of a bus when asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// How many subscriptions there are.
    pub subscriptions: usize,
    /// How many names of untyped events are remembered; bounded.
    pub remembered_names: usize,
    /// How many events came by name with a payload that no subscribed type could be read from.
    pub undecodable: u64,
    /// How often a type with handlers was passed over because it does not know the payload's version.
    pub unknown_versions: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counts {
    undecodable: AtomicU64,
    unknown_versions: AtomicU64,
}

impl Counts {
    pub(crate) fn undecodable(&self) {
        self.undecodable.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn unknown_version(&self) {
        self.unknown_versions.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn read(&self, registry: &Registry) -> Stats {
        Stats {
            subscriptions: registry.subscriptions(),
            remembered_names: registry.remembered_names(),
            undecodable: self.undecodable.load(Ordering::Relaxed),
            unknown_versions: self.unknown_versions.load(Ordering::Relaxed),
        }
    }
}
