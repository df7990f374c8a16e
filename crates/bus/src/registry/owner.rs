//! [`Owner`]: what a subscription needs of its bus, without keeping the bus alive.

use std::sync::{Arc, Weak};

use crate::bus::Shared;
use crate::id::SubscriptionId;
use crate::layer::Layers;
use crate::tracker::Tracker;

#[derive(Clone)]
pub(crate) struct Owner {
    bus: Weak<Shared>,
    pub(crate) tracker: Arc<Tracker>,
}

impl Owner {
    pub(crate) fn new(bus: Weak<Shared>, tracker: Arc<Tracker>) -> Self {
        Self { bus, tracker }
    }

    pub(crate) fn remove(&self, id: SubscriptionId) {
        if let Some(bus) = self.bus.upgrade() {
            bus.registry.remove(id);
        }
    }

    /// The bus's layers as they are now.
    pub(crate) fn layers(&self) -> Layers {
        self.bus.upgrade().map_or_else(Layers::default, |bus| bus.registry.layers())
    }
}
