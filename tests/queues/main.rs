//! Handlers with a queue of their own (promise B14).

mod circles;
mod concurrency;
mod isolation;
mod options;
mod order;
mod overflow;
mod runtimes;
mod waiting;

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use oyez::{Event, EventBus, Listener, Subscription};
use tokio::sync::{Notify, Semaphore};

#[derive(Debug, Event)]
#[event(name = "queue.job", local)]
struct Job(u64);

/// A handler that notes what it starts, and ends a call for each permit that the test gives.
struct Gated {
    started: Mutex<Vec<u64>>,
    changed: Notify,
    permits: Semaphore,
}

impl Gated {
    fn closed() -> Arc<Self> {
        Self::with_permits(0)
    }

    fn open() -> Arc<Self> {
        Self::with_permits(Semaphore::MAX_PERMITS)
    }

    fn with_permits(permits: usize) -> Arc<Self> {
        Arc::new(Self { started: Mutex::default(), changed: Notify::new(), permits: Semaphore::new(permits) })
    }

    async fn handle(self: Arc<Self>, job: Arc<Job>) {
        self.note(job.0);
        if let Ok(permit) = self.permits.acquire().await {
            permit.forget();
        }
    }

    fn note(&self, job: u64) {
        self.started.lock().unwrap_or_else(PoisonError::into_inner).push(job);
        self.changed.notify_waiters();
    }

    /// Lets every call end, also those to come.
    fn release(&self) {
        self.permits.close();
    }

    fn started(&self) -> Vec<u64> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until `count` calls have started.
    async fn until_started(&self, count: usize) {
        loop {
            let changed = self.changed.notified();
            if self.started().len() >= count {
                return;
            }
            changed.await;
        }
    }
}

/// What the bus says of one subscription.
#[expect(clippy::expect_used, reason = "the test fails here")]
fn listener(bus: &EventBus, subscription: &Subscription) -> Listener {
    let found = bus.listeners().into_iter().find(|listener| listener.id == subscription.id());
    found.expect("the subscription is on")
}

/// Polls a future once; true if it waits.
async fn waits<F: Future>(future: &mut Pin<Box<F>>) -> bool {
    poll_fn(|task| Poll::Ready(future.as_mut().poll(task).is_pending())).await
}

/// Ends what hangs: with a paused clock at once when nothing moves any more, else after a time that no run comes near.
#[expect(clippy::panic, reason = "the test fails here")]
async fn not_hanging<F: Future>(what: &str, future: F) -> F::Output {
    let limit = Duration::from_secs(10);
    tokio::time::timeout(limit, future).await.unwrap_or_else(|_| panic!("{what} hangs"))
}
