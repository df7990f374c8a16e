//! From `emit` to the last handler: [`emit`] looks the handlers up, [`turns`] takes the event through them,
//! [`subscriber`] starts each one, [`isolate`] keeps its panics to itself.

mod call;
mod detached;
mod emit;
mod emit_error;
mod emit_json;
mod handlers;
mod isolate;
mod lanes;
mod named;
mod outgoing;
mod payload;
mod record;
mod remote;
mod seat;
mod subscriber;
mod turns;

pub use detached::Detached;
pub(crate) use detached::{Deferred, Fifo};
pub(crate) use emit::Awaited;
pub use emit::Emit;
pub use emit_error::EmitError;
pub use emit_json::Json;
pub(crate) use handlers::{AnySubscriber, Entry, Handlers, Typed};
pub use isolate::{HandlerFuture, HandlerResult};
pub(crate) use isolate::{Quiet, Quietly, isolated};
pub(crate) use lanes::next_lane;
pub(crate) use named::NameHeardBy;
pub use outgoing::{Begun, EmitOptions, Outgoing, State};
pub use payload::Payload;
pub(crate) use record::Record;
pub(crate) use remote::{Remote, begin_remote};
pub(crate) use seat::seats;
pub(crate) use subscriber::{Backlog, Options, Run, Subscriber};
pub use turns::Dispatch;
