#![doc = include_str!("../README.md")]

pub use oyez_bus::*;
pub use oyez_bus_macros::{Event, EventMap};
