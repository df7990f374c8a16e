//! [`Throughput`]: a burst from its first emit to the handling of its last event in the other process.

use std::rc::Rc;
use std::time::Duration;

use super::emitter::Emitter;
use super::listener::Listener;
use super::way::Way;
use crate::clock;
use crate::failure::Failure;
use crate::subject::{Row, Subject};

pub(super) struct Throughput {
    pub(super) row: [Row; 1],
    pub(super) emitter: Rc<Emitter>,
    pub(super) listener: Listener,
    pub(super) way: Way,
    pub(super) burst: u32,
}

impl Subject for Throughput {
    fn rows(&self) -> &[Row] {
        &self.row
    }

    /// A burst takes as long as it takes.
    fn measure(&mut self, _: Duration) -> Result<Vec<f64>, Failure> {
        let count = self.burst as usize;
        self.listener.expect(count, false)?;
        let begin = clock::now();
        self.emitter.run(self.way.clone().burst(self.burst.into()))?;
        let heard = self.listener.hear(count)?;
        Ok(vec![heard.finished_at.saturating_sub(begin) as f64 / f64::from(self.burst)])
    }
}
