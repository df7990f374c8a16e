//! [`Wire`]: the way between one node and its broker.

use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;

use crate::transport::memory::broker::Broker;

/// The way between one node and its [`Broker`], which a test can break while others stay whole. Clones are handles to the
/// same way.
#[derive(Clone)]
pub struct Wire {
    broker: Broker,
    passes: Arc<watch::Sender<bool>>,
}

impl Wire {
    pub(super) fn new(broker: Broker) -> Self {
        Self { broker, passes: Arc::new(watch::Sender::new(true)) }
    }

    /// Swallows everything, as a network that drops packets: nobody is told. The connection there is never recovers.
    pub fn blackhole(&self) {
        self.passes.send_replace(false);
        self.broker.lose(self);
    }

    /// Lets new connections through again.
    pub fn heal(&self) {
        self.passes.send_replace(true);
    }

    /// Ends the connection there is.
    pub fn cut(&self) {
        self.broker.disconnect(self);
    }

    /// How many connections there are.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.broker.connections(self)
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.passes, &other.passes)
    }

    pub(super) fn is_whole(&self) -> bool {
        *self.passes.borrow()
    }

    /// Waits until something sent now would be answered.
    pub(super) async fn answers(&self) {
        self.broker.answers().await;
        // The sending half is here, so this does not fail.
        _ = self.passes.subscribe().wait_for(|passes| *passes).await;
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire").field("is_whole", &self.is_whole()).finish_non_exhaustive()
    }
}
