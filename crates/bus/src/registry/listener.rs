//! [`Listener`]: what can be seen of a subscription (promise B13).

use std::sync::Arc;

use crate::dispatch::{AnySubscriber, Record};
use crate::id::SubscriptionId;

/// One subscription as it was when asked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Listener {
    /// Its id.
    pub id: SubscriptionId,
    /// The name it was given.
    pub name: Option<Arc<str>>,
    /// The event name or the pattern it is for; for an event map, its names with commas between.
    pub target: Arc<str>,
    /// How often its handler was started.
    pub calls: u64,
    /// How many of those calls failed.
    pub failures: u64,
    /// How many were dropped together with the future of their emit.
    pub cancelled: u64,
    /// The reason of the latest failure, with all causes.
    pub last_error: Option<Arc<str>>,
    /// How many events wait in its queue or stream; 0 if it has neither.
    pub queue_depth: usize,
    /// How many events its queue or stream dropped.
    pub dropped: u64,
}

impl Listener {
    pub(crate) fn of(record: &Record, subscribers: &[Arc<dyn AnySubscriber>], passes: u64) -> Self {
        let waiting = subscribers.iter().map(|subscriber| subscriber.waiting());
        let (queue_depth, dropped) = waiting.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        Self {
            id: record.id,
            name: record.name.clone(),
            target: Arc::clone(&record.target),
            calls: record.calls(passes),
            failures: record.failures(),
            cancelled: record.cancelled(),
            last_error: record.last_error(),
            queue_depth,
            dropped,
        }
    }
}
