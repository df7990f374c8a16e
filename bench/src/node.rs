//! [`Node`]: where a process that takes part in a measurement finds the others.

use oyez::transport::TransportError;
use oyez::{EventBus, Link};
use serde::{Deserialize, Serialize};
use tokio::runtime::{Builder, Runtime};

use crate::backend::Backend;
use crate::failure::Failure;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Node {
    pub(crate) backend: Backend,
    pub(crate) url: String,
    /// Of oyez, or the channel or subject of a raw client.
    pub(crate) prefix: String,
}

impl Node {
    pub(crate) async fn attach(&self, bus: &EventBus) -> Result<Link, TransportError> {
        self.backend.attach(bus, &self.url, &self.prefix).await
    }
}

/// The runtime of each process: two threads, as a small service would have.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    Ok(Builder::new_multi_thread().worker_threads(2).enable_all().build()?)
}
