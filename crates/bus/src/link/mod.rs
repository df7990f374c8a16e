//! Links: a bus and a [`Transport`](crate::transport::Transport) joined, so that events reach the buses of other processes
//! (promises T1 to T14).
//!
//! An emit puts its event into the [`outbox`]; the [`sender`] publishes from there. The [`receiver`] puts what arrives into
//! a bounded inbox; the [`dispatcher`] lets the [`inbox`] judge each frame, and starts the handlers.

mod attach;
mod core;
mod dispatcher;
mod handle;
mod inbox;
mod outbox;
mod receiver;
mod recent;
mod sender;
mod sequence;
mod set;
mod status;

pub use self::attach::Attach;
pub use self::handle::{Link, LinkClosed};
pub(crate) use self::set::Links;
pub use self::status::{LinkEvent, LinkEvents, LinkState, LinkStatus, Rejected};
