//! Subscribing: the short ways on [`EventBus`](crate::EventBus), and [`Subscribe`] with all options.

mod builder;
mod handler;
mod map;
mod on;
mod stream;
mod subscription;
mod wait_for;
mod with;

pub use builder::Subscribe;
pub use handler::{Handler, HandlerWith, Outcome};
pub use map::SubscribeMap;
pub use stream::{EventStream, Lagged};
pub use subscription::{Subscription, SubscriptionGuard};
pub use wait_for::{NoMoreEvents, WaitFor};
pub use with::With;
