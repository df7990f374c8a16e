//! [`Tick`] and [`Tock`]: the one small event that oyez and every peer carry, and its twin of another type.

use oyez::Event;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, Event)]
#[event(name = "bench.tick")]
pub(crate) struct Tick {
    pub(crate) n: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, Event)]
#[event(name = "bench.tock")]
pub(crate) struct Tock {
    pub(crate) n: u64,
}
