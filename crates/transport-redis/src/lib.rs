//! Broadcast of oyez events to other processes over Redis pub/sub: [`RedisTransport`].
//!
//! A node has two connections to the server: one subscribes to the channel that is called as the prefix, the other
//! publishes on it. URLs and commands are those of the crate `redis`. The connections are not: pub/sub needs five
//! commands, a subscriber that notices when nothing arrives any more, and frames that are not copied on their way.

mod builder;
mod connection;
mod error;
mod publisher;
mod resp;
mod settings;
mod socket;
mod subscriber;
mod tls;
mod transport;

pub use self::builder::RedisBuilder;
pub use self::transport::RedisTransport;
