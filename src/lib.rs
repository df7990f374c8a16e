#![cfg_attr(all(feature = "nats", feature = "redis"), doc = include_str!("../README.md"))]
#![cfg_attr(
    not(all(feature = "nats", feature = "redis")),
    doc = "A typed event bus. Documented with all features: `cargo doc --all-features`, or the README."
)]

pub use oyez_bus::*;
pub use oyez_bus_macros::{Event, EventMap};
#[cfg(feature = "nats")]
pub use oyez_transport_nats::{NatsBuilder, NatsTransport};
#[cfg(feature = "redis")]
pub use oyez_transport_redis::{RedisBuilder, RedisTransport};
