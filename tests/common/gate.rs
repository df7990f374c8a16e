//! [`Gate`]: something a handler waits for until the test says so.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// Closed until it is opened, and then open for ever. Works on every runtime and on none.
#[derive(Debug, Clone)]
pub(crate) struct Gate(Arc<Semaphore>);

impl Gate {
    pub(crate) fn closed() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }

    pub(crate) fn open(&self) {
        self.0.close();
    }

    pub(crate) async fn passed(&self) {
        // A closed semaphore refuses permits, which is what lets everyone through.
        _ = self.0.acquire().await;
    }
}
