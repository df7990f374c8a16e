//! The durable log of oyez: events that must not be lost, and the named consumers that handle each of them.

pub mod log;
mod memory;
pub mod protocol;

pub use memory::MemoryLog;
