//! The suite that every transport passes, the servers it runs against, and the faults it injects.
//!
//! [`transport_suite!`] lists the cases: read there what a transport promises. A transport gets them by implementing
//! [`Backend`].

#![expect(clippy::expect_used, clippy::panic, reason = "a test kit speaks by panicking")]

mod backend;
pub mod cases;
mod child;
mod events;
pub mod foreign;
mod logs;
mod node;
pub mod proxy;
pub mod server;
mod suite;

pub use self::backend::{Backend, SILENCE, Wire};
pub use self::suite::run;
