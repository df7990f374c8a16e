//! Runs the body of a test on a tokio runtime of each flavour, and ends the test when the body hangs.

use std::future::Future;
use std::panic::resume_unwind;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

/// A flavour of tokio's runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    CurrentThread,
    MultiThread,
}

/// Far longer than any body takes: only a deadlock or a lost wake-up reaches it.
const HANGS: Duration = Duration::from_secs(170);

impl Flavour {
    pub(crate) const ALL: [Self; 2] = [Self::CurrentThread, Self::MultiThread];

    pub(crate) fn runtime(self) -> Runtime {
        let mut builder = match self {
            Self::CurrentThread => Builder::new_current_thread(),
            Self::MultiThread => Builder::new_multi_thread(),
        };
        builder.worker_threads(4).enable_all().build().expect("a runtime can be made")
    }
}

/// Runs `body` in a task of each flavour's runtime.
pub(crate) fn on_each_flavour<Fut>(body: impl Fn(Flavour) -> Fut)
where
    Fut: Future<Output = ()> + Send + 'static,
{
    for flavour in Flavour::ALL {
        let body = body(flavour);
        finishes(move || {
            let outcome = flavour.runtime().block_on(async { tokio::spawn(body).await });
            if let Err(failed) = outcome {
                resume_unwind(failed.into_panic());
            }
        });
    }
}

/// Runs `work` on a thread of its own; fails the test if it hangs.
pub(crate) fn finishes<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, finished) = mpsc::channel::<()>();
    let thread = thread::spawn(move || {
        let _sender = sender;
        work()
    });
    let hangs = finished.recv_timeout(HANGS) == Err(RecvTimeoutError::Timeout);
    assert!(!hangs, "it hangs");
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
