//! The servers that the suites run against, each of its own, on a free port.

pub mod nats;
pub mod process;
pub mod redis;
