//! [`Latency`]: from the emit to the handler in the other process, at an easy rate.

use std::rc::Rc;
use std::time::Duration;

use super::emitter::Emitter;
use super::listener::Listener;
use super::way::Way;
use crate::failure::Failure;
use crate::subject::{Row, Subject};

/// 1,000 events a second.
const PAUSE: Duration = Duration::from_millis(1);

pub(super) struct Latency {
    /// The median, and what 99 of 100 do not exceed.
    pub(super) rows: [Row; 2],
    pub(super) emitter: Rc<Emitter>,
    pub(super) listener: Listener,
    pub(super) way: Way,
    pub(super) count: u32,
}

impl Subject for Latency {
    fn rows(&self) -> &[Row] {
        &self.rows
    }

    fn measure(&mut self, _: Duration) -> Result<Vec<f64>, Failure> {
        let count = self.count as usize;
        self.listener.expect(count, true)?;
        self.emitter.run(self.way.clone().paced(self.count.into(), PAUSE))?;
        let heard = self.listener.hear(count)?;
        Ok(vec![heard.p50 as f64, heard.p99 as f64])
    }
}
