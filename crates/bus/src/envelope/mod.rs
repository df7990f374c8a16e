//! The form in which events travel: CloudEvents 1.0 in the JSON format, structured mode
//! (<https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md>), with extension attributes for what
//! a [`Context`](crate::Context) knows.

mod ordered;
mod origin;
mod read;
mod write;

pub(crate) use self::origin::{Node, Origin};
pub use self::read::RejectedReason;
pub(crate) use self::read::{Control, Envelope};
pub(crate) use self::write::{Tail, control_frame};

#[cfg(test)]
mod tests;
