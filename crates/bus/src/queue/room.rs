//! [`Room`]: an emit that waits for room in a handler's queue.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::dispatch::{HandlerResult, Payload, Subscriber};
use crate::failure::{HandlerError, HandlerErrorKind};
use crate::queue::wait_graph::Edge;
use crate::queue::{Place, worker};

/// Resolves when the event has room; to nothing if its handler was removed meanwhile, and to an error if the queue let go
/// of it for another reason. Dropped before, the event leaves the queue.
pub(crate) type Room = Pin<Box<dyn Future<Output = Option<HandlerResult>> + Send>>;

pub(super) fn room<P: Payload>(
    subscriber: &Arc<Subscriber<P>>,
    place: Place,
    admitted: oneshot::Receiver<()>,
    edge: Option<Edge<'static>>,
) -> Room {
    let waiting = Waiting { subscriber: Arc::clone(subscriber), place };
    Box::pin(async move {
        let admitted = waiting.until(admitted).await;
        drop(edge);
        match admitted {
            Ok(()) => Some(Ok(())),
            Err(_) if waiting.subscriber.record.is_off() => None,
            Err(_) => Some(Err(HandlerError::bare(HandlerErrorKind::Closed))),
        }
    })
}

struct Waiting<P: Payload> {
    subscriber: Arc<Subscriber<P>>,
    place: Place,
}

impl<P: Payload> Waiting<P> {
    /// The emit that waits is the one who starts a new worker when the old one is lost.
    async fn until(&self, mut admitted: oneshot::Receiver<()>) -> Result<(), oneshot::error::RecvError> {
        let Some(queue) = &self.subscriber.queue else { return Ok(()) };
        loop {
            let abandoned = queue.abandoned.notified();
            if let Ok(runtime) = Handle::try_current() {
                worker::ensure(&self.subscriber, &runtime);
            }
            tokio::select! {
                admitted = &mut admitted => return admitted,
                () = abandoned => {}
            }
        }
    }
}

impl<P: Payload> Drop for Waiting<P> {
    fn drop(&mut self) {
        if self.subscriber.queue.as_ref().is_some_and(|queue| queue.give_up(self.place)) {
            self.subscriber.record.cancel();
        }
    }
}
