//! Who is subscribed: one lock for changing it, and lists that an emit reads without any.

mod listener;
mod names;
mod owner;
mod patterns;
mod subscriptions;
mod table;
mod topic;

pub use listener::Listener;
pub(crate) use names::Named;
pub(crate) use owner::Owner;
pub(crate) use subscriptions::{Enrolment, Registry};
pub(crate) use topic::{AnyTopic, Topic};
