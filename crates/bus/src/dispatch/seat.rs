//! [`Seat`]: the place in memory where a handler's future runs, used again for the next event.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use pin_project_lite::pin_project;

use crate::context::Context;
use crate::dispatch::isolate::{HandlerFuture, HandlerResult, Quietly, isolated};
use crate::subscribe::Outcome;

/// A place for the future of one handler, made for its type: one allocation. A future that is ready at its first poll
/// leaves the seat free for the next event, so that a steady stream of events allocates no futures.
pub(crate) trait Seat<P>: Send {
    /// Begins a call and polls it once. The handler's panic is an error.
    fn start(self: Pin<&mut Self>, event: P, context: &Context, task: &mut task::Context<'_>) -> Poll<HandlerResult>;

    /// Begins a call without polling it.
    fn begin(self: Pin<&mut Self>, event: P, context: &Context);

    /// The call that was begun, with its seat.
    fn into_future(self: Pin<Box<Self>>) -> HandlerFuture;
}

pub(crate) type BoxSeat<P> = Pin<Box<dyn Seat<P>>>;

/// Makes seats for one handler.
pub(crate) type SeatFn<P> = dyn Fn() -> BoxSeat<P> + Send + Sync;

/// How seats are made for a handler that is begun by `begin`.
pub(crate) fn seats<P, B, Fut>(begin: B) -> Box<SeatFn<P>>
where
    P: 'static,
    B: Fn(P, &Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: Outcome> + Send + 'static,
{
    let begin = Arc::new(Quietly::new(begin));
    Box::new(move || Box::pin(HandlerSeat { begin: Arc::clone(&begin), future: None }))
}

pin_project! {
    struct HandlerSeat<B, Fut> {
        begin: Arc<Quietly<B>>,
        #[pin]
        future: Option<Fut>,
    }
}

impl<P, B, Fut> Seat<P> for HandlerSeat<B, Fut>
where
    B: Fn(P, &Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: Outcome> + Send + 'static,
{
    #[inline]
    fn start(
        mut self: Pin<&mut Self>,
        event: P,
        context: &Context,
        task: &mut task::Context<'_>,
    ) -> Poll<HandlerResult> {
        let started = isolated(|| {
            self.as_mut().begin(event, context);
            self.as_mut().poll(task)
        });
        started.unwrap_or_else(|panic| {
            self.clear();
            Poll::Ready(Err(panic))
        })
    }

    #[inline]
    fn begin(self: Pin<&mut Self>, event: P, context: &Context) {
        let mut seat = self.project();
        if let Some(begin) = seat.begin.get() {
            seat.future.set(Some(begin(event, context)));
        }
    }

    fn into_future(self: Pin<Box<Self>>) -> HandlerFuture {
        self
    }
}

impl<B, Fut> HandlerSeat<B, Fut> {
    /// Drops a future that panicked; if its own drop panics too, that ends here.
    #[cold]
    fn clear(self: Pin<&mut Self>) {
        _ = isolated(|| self.project().future.set(None));
    }
}

impl<B, Fut: Future<Output: Outcome>> Future for HandlerSeat<B, Fut> {
    type Output = HandlerResult;

    /// A finished future is dropped in here, inside of what isolates the handler.
    #[inline]
    fn poll(self: Pin<&mut Self>, task: &mut task::Context<'_>) -> Poll<HandlerResult> {
        let mut future = self.project().future;
        let Some(running) = future.as_mut().as_pin_mut() else { return Poll::Ready(Ok(())) };
        let outcome = std::task::ready!(running.poll(task));
        future.set(None);
        Poll::Ready(outcome.into_result())
    }
}
