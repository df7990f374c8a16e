//! oyez
pub use oyez_bus::*;
pub use oyez_bus_macros::{Event, EventMap};
