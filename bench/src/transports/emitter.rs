//! [`Emitter`]: the runtime of the process that emits.

use tokio::runtime::Runtime;

use crate::failure::Failure;
use crate::node::runtime;

pub(super) struct Emitter(Runtime);

impl Emitter {
    pub(super) fn new() -> Result<Self, Failure> {
        runtime().map(Self)
    }

    /// On one of the runtime's threads, where a service's code runs.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        self.0.block_on(self.0.spawn(work))?
    }
}
