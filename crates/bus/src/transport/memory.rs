//! A transport inside of one process, for tests: frames travel as bytes, and faults come on demand.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use oyez_bus::transport::memory::Broker;
//! use oyez_bus::{AnyEvent, EventBus};
//!
//! let broker = Broker::new();
//! let (here, there) = (EventBus::new(), EventBus::new());
//! here.attach(broker.connect("shop")).await?;
//! there.attach(broker.connect("shop")).await?;
//!
//! let mut paid = there.subscribe_pattern("order.*")?.stream(16);
//! here.emit_json("order.paid", 7).await?;
//! let event: AnyEvent = paid.next().await.ok_or("the bus is gone")??;
//! assert_eq!(event.json(), Some(7.into()));
//! # Ok(())
//! # }
//! ```

mod broker;
mod connection;
mod faults;
mod subscriber;
mod wire;

pub use self::broker::Broker;
pub use self::connection::MemoryTransport;
pub use self::faults::Faults;
pub use self::wire::Wire;
