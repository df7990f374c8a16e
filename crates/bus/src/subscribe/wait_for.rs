//! [`WaitFor`]: the next event that fits.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{self, Poll};

use tokio::sync::oneshot;

use crate::dispatch::{Backlog, Payload, Run};
use crate::subscribe::{Subscribe, SubscriptionGuard};

/// The event that was waited for cannot come any more: the bus is gone or shut down, or the subscription was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the event cannot come any more")]
pub struct NoMoreEvents;

/// A future of the next event that fits. Dropping it ends its subscription.
///
/// # Errors
/// It resolves to [`NoMoreEvents`] when its bus is gone or shut down, or the subscription was removed.
///
/// # Cancel safety
/// Polled by reference in a `select!`, it may lose any number of races; dropped, it is gone.
#[must_use = "the event is lost if nobody waits for it"]
pub struct WaitFor<P: Payload> {
    event: oneshot::Receiver<P>,
    _guard: SubscriptionGuard,
}

/// The handler's end of the wait.
struct Wish<P>(Mutex<Option<oneshot::Sender<P>>>);

impl<P> Wish<P> {
    fn take(&self) -> Option<oneshot::Sender<P>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl<P: Payload> Backlog for Wish<P> {
    fn depth(&self) -> usize {
        0
    }

    fn dropped(&self) -> u64 {
        0
    }

    fn end(&self) {
        drop(self.take());
    }
}

impl<P: Payload> WaitFor<P> {
    pub(crate) fn subscribe(subscribe: Subscribe<'_, P>) -> Self {
        let (sender, event) = oneshot::channel();
        let wish = Arc::new(Wish(Mutex::new(Some(sender))));
        let subscribe = subscribe.once().backlog(Arc::clone(&wish) as _);
        let keep = move |event, _: &_| {
            if let Some(sender) = wish.take() {
                // Nobody waits any more: then the event is nobody's.
                _ = sender.send(event);
            }
            Ok(())
        };
        Self { _guard: subscribe.run(Run::Keep(Box::new(keep))).guard(), event }
    }
}

impl<P: Payload> Future for WaitFor<P> {
    type Output = Result<P, NoMoreEvents>;

    fn poll(mut self: Pin<&mut Self>, task: &mut task::Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.event).poll(task).map_err(|_| NoMoreEvents)
    }
}

impl<P: Payload> fmt::Debug for WaitFor<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WaitFor").finish_non_exhaustive()
    }
}
