//! `*` hears every event, typed or not. A synchronous handler is the cheapest kind.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use oyez::{AnyEvent, EventBus, PatternError};

/// Counts the events by name.
#[derive(Default)]
pub struct Audit {
    emitted: Mutex<BTreeMap<String, u64>>,
}

impl Audit {
    pub fn subscribe(bus: &EventBus) -> Result<Arc<Self>, PatternError> {
        let audit = Arc::new(Self::default());
        let this = Arc::clone(&audit);
        bus.subscribe_pattern("*")?.name("audit").handle_sync(move |event, _| this.count(event));
        Ok(audit)
    }

    fn count(&self, event: &AnyEvent) {
        let mut emitted = self.emitted.lock().unwrap_or_else(PoisonError::into_inner);
        *emitted.entry(event.name().to_owned()).or_default() += 1;
    }

    /// How many events there were of each name.
    pub fn emitted(&self) -> BTreeMap<String, u64> {
        self.emitted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
