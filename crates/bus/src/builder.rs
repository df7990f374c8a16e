//! [`Builder`]: the settings of a bus.

use crate::bus::EventBus;
use crate::dispatch::Dispatch;

/// Settings of a new bus.
#[derive(Debug, Clone)]
#[must_use]
pub struct Builder {
    dispatch: Dispatch,
    max_depth: usize,
}

impl Default for Builder {
    fn default() -> Self {
        Self { dispatch: Dispatch::Concurrent, max_depth: 64 }
    }
}

impl Builder {
    /// How the handlers of an emit run beside each other, unless the emit says otherwise. Default:
    /// [`Dispatch::Concurrent`].
    pub fn dispatch(mut self, dispatch: Dispatch) -> Self {
        self.dispatch = dispatch;
        self
    }

    /// How many emits an emit may be inside of (promise B8). Default: 64; at most 1000.
    ///
    /// Each level needs stack: a few KiB in a debug build, and some copies of the event. Box what is large in an event
    /// that handlers emit again and again.
    pub fn max_depth(mut self, emits: usize) -> Self {
        self.max_depth = emits.min(1000);
        self
    }

    /// The bus.
    #[must_use]
    pub fn build(self) -> EventBus {
        EventBus::with_settings(self.dispatch, self.max_depth)
    }
}
