//! [`Owner`]: what a subscription needs of its bus, without keeping the bus alive.

use std::sync::{Arc, Weak};

use crate::bus::Shared;
use crate::id::SubscriptionId;
use crate::layer::{LayerStack, Layers};
use crate::tracker::Tracker;

#[derive(Clone)]
pub(crate) struct Owner {
    bus: Weak<Shared>,
    layers: Arc<LayerStack>,
    pub(crate) tracker: Arc<Tracker>,
}

impl Owner {
    pub(crate) fn new(bus: Weak<Shared>, tracker: &Arc<Tracker>, layers: &Arc<LayerStack>) -> Self {
        Self { bus, layers: Arc::clone(layers), tracker: Arc::clone(tracker) }
    }

    pub(crate) fn remove(&self, id: SubscriptionId) {
        if let Some(bus) = self.bus.upgrade() {
            bus.registry.remove(id);
        }
    }

    /// The bus's layers as they are now.
    pub(crate) fn layers(&self) -> Layers {
        self.layers.get()
    }
}
