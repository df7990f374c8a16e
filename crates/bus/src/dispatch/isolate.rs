//! Keeps a handler's panic to itself (promise B3).

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{self, Poll};

use crate::failure::{HandlerError, discard};

/// What a handler's call comes to.
pub type HandlerResult = Result<(), HandlerError>;

/// A handler's call under way.
pub type HandlerFuture = Pin<Box<dyn Future<Output = HandlerResult> + Send>>;

/// Runs user code; a panic becomes an error.
#[inline]
pub(crate) fn isolated<R>(call: impl FnOnce() -> R) -> Result<R, HandlerError> {
    // A handler's own state may be half changed by its panic; what is shared with others is behind their locks.
    catch_unwind(AssertUnwindSafe(call)).map_err(HandlerError::panicked)
}

/// Polls a handler's future once; a panic is its outcome. A future that is over is dropped in here too, apart from the
/// poll: a panic of its own in the drop would otherwise meet the unwinding of the first and end the process.
pub(crate) fn poll_isolated(mut future: HandlerFuture, task: &mut task::Context<'_>) -> Polled {
    match isolated(|| future.as_mut().poll(task)) {
        Ok(Poll::Pending) => Polled::Pending(Quiet(Some(future))),
        Ok(Poll::Ready(result)) => Polled::Done(isolated(|| drop(future)).and(result)),
        Err(panic) => {
            discard(future);
            Polled::Done(Err(panic))
        }
    }
}

pub(crate) enum Polled {
    Done(HandlerResult),
    Pending(Quiet),
}

/// A handler's future whose panics stay inside, also when it is dropped before its end.
pub(crate) struct Quiet(Option<HandlerFuture>);

impl Quiet {
    pub(crate) fn new(future: HandlerFuture) -> Self {
        Self(Some(future))
    }
}

impl Future for Quiet {
    type Output = HandlerResult;

    fn poll(mut self: Pin<&mut Self>, task: &mut task::Context<'_>) -> Poll<HandlerResult> {
        let Some(future) = self.0.take() else { return Poll::Ready(Ok(())) };
        match poll_isolated(future, task) {
            Polled::Done(result) => Poll::Ready(result),
            Polled::Pending(mut rest) => {
                self.0 = rest.0.take();
                Poll::Pending
            }
        }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if let Some(future) = self.0.take() {
            discard(future);
        }
    }
}

/// A user's closure, whose captured values may panic when they are dropped.
pub(crate) struct Quietly<T>(Option<T>);

impl<T> Quietly<T> {
    pub(crate) fn new(closure: T) -> Self {
        Self(Some(closure))
    }

    /// The closure; it is there until the drop.
    #[inline]
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }
}

impl<T> Drop for Quietly<T> {
    fn drop(&mut self) {
        discard(self.0.take());
    }
}
