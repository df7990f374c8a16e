//! [`Subject`]: something that can be measured once a round.

use std::time::Duration;

use crate::failure::Failure;

/// One line of the table: `handlers` of them are called by each emit.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) handlers: usize,
}

impl Row {
    pub(crate) fn new(name: impl Into<String>, handlers: usize) -> Self {
        Self { name: name.into(), handlers }
    }
}

/// What is measured as a whole: mostly one row, but a child process answers for several.
pub(crate) trait Subject {
    fn rows(&self) -> &[Row];

    /// Nanoseconds per emit, one figure a row, each measured for `budget`.
    fn measure(&mut self, budget: Duration) -> Result<Vec<f64>, Failure>;
}

/// Subjects that belong together, and in one sentence what their figures contain.
pub(crate) struct Group {
    pub(crate) about: &'static str,
    pub(crate) subjects: Vec<Box<dyn Subject>>,
}
