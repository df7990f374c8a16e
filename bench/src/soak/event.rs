//! [`Counted`]: the event of a soak, which has a number.

use oyez::Event;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, Event)]
#[event(name = "soak.counted")]
pub(super) struct Counted {
    /// Of its node: 0, 1, 2 and so on.
    pub(super) number: u64,
}
