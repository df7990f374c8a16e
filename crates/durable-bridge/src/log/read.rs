//! [`Read`]: which events to read.

use std::sync::Arc;

use crate::log::Record;
use crate::protocol::Position;

/// Which events to read.
#[derive(Debug, Clone)]
pub enum Read {
    /// The first ones after a position.
    After {
        /// The position.
        after: Position,
        /// Only events with one of these names.
        names: Arc<[Arc<str>]>,
        /// The most events.
        limit: usize,
    },
    /// Those at these positions, as far as they are in the log.
    At(Vec<Position>),
}

/// Events in the order of their positions.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The events.
    pub events: Vec<Stored>,
    /// Up to here there are no others that were asked for.
    pub complete_to: Position,
}

/// An event of the log.
#[derive(Debug, Clone)]
pub struct Stored {
    /// Its place.
    pub position: Position,
    /// The event.
    pub record: Record,
}
