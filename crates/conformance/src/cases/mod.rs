//! The cases of [`transport_suite!`](crate::transport_suite), a file for each promise.

mod broadcast;
mod closing;
mod decoding;
mod emitting;
mod exactness;
mod foreign_bytes;
mod identity;
mod loss;
mod names;
mod readiness;
mod reconnecting;
mod secrets;
mod silence;
mod slow_nodes;
mod too_large;

pub use self::broadcast::*;
pub use self::closing::*;
pub use self::decoding::*;
pub use self::emitting::*;
pub use self::exactness::*;
pub use self::foreign_bytes::*;
pub use self::identity::*;
pub use self::loss::*;
pub use self::names::*;
pub use self::readiness::*;
pub use self::reconnecting::*;
pub use self::secrets::*;
pub use self::silence::*;
pub use self::slow_nodes::*;
pub use self::too_large::*;
