//! The task that works off a queue. It lives while there is something to do, so an idle queue costs no task, and a
//! queue outlives the runtime that its first events came from.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use futures_core::Stream;
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
        runtime.spawn(work(Arc::clone(subscriber)));
    } else {
        queue.arrived.notify_one();
    }
}

async fn work<P: Payload>(subscriber: Arc<Subscriber<P>>) {
    let Some(queue) = &subscriber.queue else { return };
    let abandon = Abandon(Some(queue));
    let mut running = FuturesUnordered::new();
    loop {
        start_all(&subscriber, queue, &mut running).await;
        if running.is_empty() {
            if queue.lock().may_leave() {
                abandon.defuse();
                return;
            }
            continue;
        }
        tokio::select! {
            _ = poll_fn(|task| Pin::new(&mut running).poll_next(task)) => queue.lock().done(),
            () = queue.arrived.notified() => {}
            () = queue.owner.tracker.until_cut() => {
                queue.clear();
                running.clear();
                queue.lock().forget_running();
            }
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
        if let Err(error) = context.carry(call).await {
            subscriber.record.fail(context.name(), error);
        }
        drop(ticket);
    })
}

/// Frees the queue for another worker when this one is dropped with its runtime.
struct Abandon<'a, P: Payload>(Option<&'a Queue<P>>);

impl<P: Payload> Abandon<'_, P> {
    fn defuse(mut self) {
        self.0 = None;
    }
}

impl<P: Payload> Drop for Abandon<'_, P> {
    fn drop(&mut self) {
        if let Some(queue) = self.0 {
            queue.lock().abandon();
        }
    }
}
