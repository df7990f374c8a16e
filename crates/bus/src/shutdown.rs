//! Ending a bus, and waiting for what goes on in the background (promise B15).

use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::bus::EventBus;

/// How long a shutdown waits for what it has cut to be dropped.
const CUT: Duration = Duration::from_secs(1);

/// What a shutdown had to cut because its deadline passed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shutdown {
    /// Events in queues, or being handled from there.
    pub queued: usize,
    /// Posted and detached emits, and events of other processes being handled.
    pub detached: usize,
    /// Events that the links had not sent to other processes.
    pub unsent: usize,
}

impl Shutdown {
    /// Whether everything was finished.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }
}

impl EventBus {
    /// Refuses new emits, lets queued and detached handlers finish for at most `deadline`, and returns what was cut
    /// then. Emits that such a handler makes are still taken. Emits that callers wait for are theirs: they go on.
    ///
    /// Then the links send what those handlers emitted, in what is left of the time, and are closed.
    ///
    /// Then streams end, after the events that they still hold, and so does every [`wait_for`](EventBus::wait_for).
    ///
    /// Calling it again waits again. A queued or detached handler that calls it waits for its own end, until the deadline
    /// cuts it.
    ///
    /// # Cancel safety
    /// Dropped early, the bus stays closed and nothing is cut.
    ///
    /// # Panics
    /// Outside of a tokio runtime with its timer enabled, as [`tokio::time::timeout`] does.
    pub async fn shutdown(&self, deadline: Duration) -> Shutdown {
        self.shared.closed.store(true, Ordering::Release);
        let tracker = &self.shared.tracker;
        tracker.close();
        let end = Instant::now() + deadline;
        let mut shutdown = match tokio::time::timeout_at(end, tracker.idle(|| self.resume())).await {
            Ok(()) => Shutdown::default(),
            Err(_) => {
                let open = tracker.cut();
                // What was cut is dropped by its own task; a handler that blocks its thread cannot be waited for.
                _ = tokio::time::timeout(CUT, tracker.idle(|| self.resume())).await;
                Shutdown { queued: open.queued, detached: open.detached, unsent: 0 }
            }
        };
        shutdown.unsent = self.close_links(end.saturating_duration_since(Instant::now())).await;
        self.shared.registry.end_backlogs();
        shutdown
    }

    /// Waits until everything that was queued, posted and detached before this call is done, and all that those
    /// handlers caused in turn; not for what others emit meanwhile. For tests.
    ///
    /// A queued or detached handler that calls this waits for its own end, and so for ever.
    ///
    /// # Cancel safety
    /// Nothing is lost if the future is dropped.
    pub async fn settle(&self) {
        self.shared.tracker.settled(|| self.resume()).await;
    }

    /// How many events were not sent.
    async fn close_links(&self, deadline: Duration) -> usize {
        let links = self.links();
        let closed = join_all(links.iter().map(|link| link.close(deadline))).await;
        closed.iter().map(|closed| closed.unsent as usize).sum()
    }

    /// Sees to it that queues and the line are worked off, where the runtime that did so has ended.
    fn resume(&self) {
        if let Ok(runtime) = Handle::try_current() {
            self.work_off_line(&runtime);
            self.shared.registry.resume(&runtime);
        }
    }
}
