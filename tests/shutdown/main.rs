//! Work that outlives its emit: detached emits, `settle` and `shutdown` (promise B15).

mod closing;
mod cut;
mod detached;
mod runtimes;
mod settle;

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use oyez::Event;
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, Semaphore};

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "work.job")]
struct Job(u64);

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "work.next")]
struct Next(u64);

/// What handlers do, in order, and the permits they wait for.
struct Work {
    done: Mutex<Vec<String>>,
    changed: Notify,
    permits: Semaphore,
}

impl Work {
    fn new() -> Arc<Self> {
        Arc::new(Self { done: Mutex::default(), changed: Notify::new(), permits: Semaphore::new(0) })
    }

    fn note(&self, what: impl Into<String>) {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).push(what.into());
        self.changed.notify_waiters();
    }

    fn done(&self) -> Vec<String> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes that it began, waits for a permit, and notes its end.
    async fn job(self: Arc<Self>, job: Arc<Job>) {
        self.note(format!("begin {}", job.0));
        let cut = Cut(Some((Arc::clone(&self), job.0)));
        if let Ok(permit) = self.permits.acquire().await {
            permit.forget();
        }
        cut.finish();
        self.note(format!("end {}", job.0));
    }

    fn release(&self) {
        self.permits.close();
    }

    async fn until(&self, what: &str) {
        loop {
            let changed = self.changed.notified();
            if self.done().iter().any(|done| done == what) {
                return;
            }
            changed.await;
        }
    }
}

/// Notes that a call was dropped before its end.
struct Cut(Option<(Arc<Work>, u64)>);

impl Cut {
    fn finish(mut self) {
        self.0 = None;
    }
}

impl Drop for Cut {
    fn drop(&mut self) {
        if let Some((work, job)) = self.0.take() {
            work.note(format!("cut {job}"));
        }
    }
}

/// Polls a future once; true if it waits.
async fn waits<F: Future>(future: &mut Pin<Box<F>>) -> bool {
    poll_fn(|task| Poll::Ready(future.as_mut().poll(task).is_pending())).await
}

/// With a paused clock, ends what hangs as soon as nothing moves any more.
#[expect(clippy::panic, reason = "the test fails here")]
async fn not_hanging<F: Future>(what: &str, future: F) -> F::Output {
    let limit = Duration::from_secs(10);
    tokio::time::timeout(limit, future).await.unwrap_or_else(|_| panic!("{what} hangs"))
}
