//! [`Subscription`] and [`SubscriptionGuard`]: handles to turn a handler off.

use std::fmt;
use std::sync::{Arc, Weak};

use crate::bus::{EventBus, Shared};
use crate::dispatch::Record;
use crate::id::SubscriptionId;

/// A subscription. Dropping it leaves the handler on (promise B6).
#[derive(Clone)]
pub struct Subscription {
    record: Arc<Record>,
    bus: Weak<Shared>,
}

impl Subscription {
    pub(crate) fn new(bus: &EventBus, record: Arc<Record>) -> Self {
        Self { record, bus: Arc::downgrade(&bus.shared) }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> SubscriptionId {
        self.record.id
    }

    /// The name it was given.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.record.name.as_deref()
    }

    /// Removes the handler. True if this call removed it: no turn that comes later starts it, and what waits in its
    /// queue is dropped. False if it was off before, ran as `once`, or its bus is gone.
    ///
    /// A call that is under way on another thread goes on.
    pub fn off(&self) -> bool {
        self.bus.upgrade().is_some_and(|bus| bus.registry.off(self.record.id))
    }

    /// Whether the handler is on.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.bus.strong_count() > 0 && self.record.is_on()
    }

    /// A guard that removes the handler when it is dropped.
    pub fn guard(self) -> SubscriptionGuard {
        SubscriptionGuard { subscription: self }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Subscription");
        out.field("id", &self.record.id.0).field("target", &self.record.target).field("name", &self.record.name);
        out.field("is_on", &self.is_on()).finish()
    }
}

/// Removes its handler when it is dropped; after the end of the bus that does nothing (promise B6).
#[derive(Debug)]
#[must_use = "dropping the guard removes the handler at once"]
pub struct SubscriptionGuard {
    subscription: Subscription,
}

impl SubscriptionGuard {
    /// The subscription.
    #[must_use]
    pub fn subscription(&self) -> &Subscription {
        &self.subscription
    }
}

impl Drop for SubscriptionGuard {
    fn drop(&mut self) {
        self.subscription.off();
    }
}
