//! Broadcast of oyez events to other processes over NATS: [`NatsTransport`].
//!
//! Programs depend on the facade crate `oyez` with its feature `nats`.

mod address;
mod builder;
mod engine;
mod error;
mod fence;
mod incoming;
mod notices;
mod percent;
mod subjects;
mod transport;

pub use self::builder::NatsBuilder;
pub use self::transport::NatsTransport;
