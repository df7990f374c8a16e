//! The task that works off a queue. It lives while there is something to do, so an idle queue costs no task, and a
//! queue outlives the runtime that its first events came from.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::runtime::Handle;

use crate::dispatch::{Payload, Quiet, Subscriber};
use crate::queue::{Item, Queue};

type Running = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Makes sure that a worker is at the queue.
pub(super) fn ensure<P: Payload>(subscriber: &Arc<Subscriber<P>>, runtime: &Handle) {
    let Some(queue) = &subscriber.queue else { return };
    let needed = queue.lock().needs_worker();
    if needed {
        runtime.spawn(Worker(Some(Arc::clone(subscriber))).run());
    } else {
        queue.arrived.notify_one();
    }
}

/// The worker at a queue. If it is dropped with its runtime, also before its first poll, another one may take over.
struct Worker<P: Payload>(Option<Arc<Subscriber<P>>>);

impl<P: Payload> Worker<P> {
    async fn run(mut self) {
        let Some(subscriber) = self.0.clone() else { return };
        let Some(queue) = &subscriber.queue else { return };
        let mut running = FuturesUnordered::new();
        loop {
            start_all(&subscriber, queue, &mut running).await;
            if running.is_empty() {
                if queue.lock().may_leave() {
                    self.0 = None;
                    return;
                }
                continue;
            }
            tokio::select! {
                _ = running.next() => queue.lock().done(),
                () = queue.arrived.notified() => {}
                () = queue.owner.tracker.until_cut() => {
                    queue.clear();
                    running.clear();
                    queue.lock().forget_running();
                }
            }
        }
    }
}

impl<P: Payload> Drop for Worker<P> {
    fn drop(&mut self) {
        if let Some(queue) = self.0.as_ref().and_then(|subscriber| subscriber.queue.as_ref()) {
            queue.lock().abandon();
            queue.abandoned.notify_waiters();
            queue.owner.tracker.left();
        }
    }
}

/// Starts what may run now, each with its first poll, in the order of the queue.
async fn start_all<P: Payload>(
    subscriber: &Arc<Subscriber<P>>,
    queue: &Queue<P>,
    running: &mut FuturesUnordered<Running>,
) {
    let mut in_a_row = 0;
    while let Some(item) = next(subscriber, queue) {
        let mut call = handle(subscriber, item);
        match poll_fn(|task| Poll::Ready(call.as_mut().poll(task))).await {
            Poll::Ready(()) => queue.lock().done(),
            Poll::Pending => running.push(call),
        }
        in_a_row += 1;
        if in_a_row % 64 == 0 {
            tokio::task::yield_now().await;
        }
    }
}

fn next<P: Payload>(subscriber: &Subscriber<P>, queue: &Queue<P>) -> Option<Item<P>> {
    if subscriber.record.is_off() || queue.owner.tracker.is_cut() {
        queue.clear();
    }
    queue.lock().next(Item::admit)
}

fn handle<P: Payload>(subscriber: &Arc<Subscriber<P>>, item: Item<P>) -> Running {
    let subscriber = Arc::clone(subscriber);
    Box::pin(async move {
        let Item { event, context, ticket, .. } = item;
        subscriber.record.add_calls(1);
        let call = Quiet::new(subscriber.queued_call(event, context.clone()));
        let name = context.clone();
        let handled = async {
            if let Err(error) = call.await {
                // Inside of the context too: what this makes others emit is caused by the event.
                subscriber.record.fail(name.name(), error);
            }
        };
        context.carry(handled).await;
        drop(ticket);
    })
}
