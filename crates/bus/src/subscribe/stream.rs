//! [`EventStream`]: events to be taken, instead of a handler to be called.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{self, Poll, Waker};

use futures_core::Stream;

use crate::dispatch::{Backlog, Payload, Run};
use crate::subscribe::{Subscribe, SubscriptionGuard};

/// The stream was slower than the events: so many of the oldest were dropped. The stream goes on behind them
/// (promise B14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the stream lagged behind and lacks {0} events")]
pub struct Lagged(
    /// How many events are lacking.
    pub u64,
);

/// A stream of events. What it yielded, what it keeps and what it reported as [`Lagged`] add up to what was emitted. It
/// ends with its bus or its shutdown, after what it keeps; dropping it ends its subscription.
pub struct EventStream<P: Payload> {
    ring: Arc<Ring<P>>,
    guard: SubscriptionGuard,
}

struct Ring<P> {
    state: Mutex<State<P>>,
}

struct State<P> {
    events: VecDeque<P>,
    capacity: usize,
    lagged: u64,
    dropped: u64,
    ended: bool,
    waker: Option<Waker>,
}

impl<P: Payload> EventStream<P> {
    pub(crate) fn subscribe(subscribe: Subscribe<'_, P>, capacity: usize) -> Self {
        let state = State {
            events: VecDeque::new(),
            capacity: capacity.max(1),
            lagged: 0,
            dropped: 0,
            ended: false,
            waker: None,
        };
        let ring = Arc::new(Ring { state: Mutex::new(state) });
        let feed = Feed(Arc::clone(&ring));
        let keep = move |event, _: &_| {
            feed.0.push(event);
            Ok(())
        };
        let subscribe = subscribe.backlog(Arc::clone(&ring) as _);
        Self { guard: subscribe.run(Run::Keep(Box::new(keep))).guard(), ring }
    }

    /// The next event, or how many are lacking before it; `None` at the end.
    ///
    /// # Cancel safety
    /// Nothing is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<Result<P, Lagged>> {
        poll_fn(|task| Pin::new(&mut *self).poll_next(task)).await
    }

    /// Its subscription.
    #[must_use]
    pub fn subscription(&self) -> &crate::Subscription {
        self.guard.subscription()
    }
}

impl<P> Ring<P> {
    fn push(&self, event: P) {
        let mut state = self.lock();
        state.events.push_back(event);
        let oldest = if state.events.len() > state.capacity { state.events.pop_front() } else { None };
        state.lagged += u64::from(oldest.is_some());
        state.dropped += u64::from(oldest.is_some());
        let waker = state.waker.take();
        drop(state);
        drop(oldest);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P: Payload> Backlog for Ring<P> {
    fn depth(&self) -> usize {
        self.lock().events.len()
    }

    fn dropped(&self) -> u64 {
        self.lock().dropped
    }

    fn end(&self) {
        let mut state = self.lock();
        state.ended = true;
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<P: Payload> Stream for EventStream<P> {
    type Item = Result<P, Lagged>;

    fn poll_next(self: Pin<&mut Self>, task: &mut task::Context<'_>) -> Poll<Option<Self::Item>> {
        let waker = task.waker().clone();
        let mut state = self.ring.lock();
        if state.lagged > 0 {
            return Poll::Ready(Some(Err(Lagged(std::mem::take(&mut state.lagged)))));
        }
        match state.events.pop_front() {
            Some(event) => Poll::Ready(Some(Ok(event))),
            None if state.ended => Poll::Ready(None),
            None => {
                let stale = state.waker.replace(waker);
                drop(state);
                drop(stale);
                Poll::Pending
            }
        }
    }
}

/// The subscription's end of the ring: when it goes, the stream ends.
struct Feed<P: Payload>(Arc<Ring<P>>);

impl<P: Payload> Drop for Feed<P> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl<P: Payload> fmt::Debug for EventStream<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").field("subscription", self.subscription()).finish_non_exhaustive()
    }
}
