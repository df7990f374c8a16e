//! The floor: the loop one would write by hand, with nothing but isolation from panics.

use std::future::poll_fn;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::event::Tick;
use crate::failure::Failure;
use crate::subject::{Group, Row};
use crate::workers::{Workers, runtime};

type Running = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Handlers for one type of event, in a plain vector.
pub(super) struct Floor<E> {
    handlers: Vec<Box<dyn Fn(Arc<E>) -> Running + Send + Sync>>,
}

impl<E> Floor<E> {
    pub(super) fn new() -> Self {
        Self { handlers: Vec::new() }
    }

    pub(super) fn on<F: Future<Output = ()> + Send + 'static>(
        &mut self,
        handler: impl Fn(Arc<E>) -> F + Send + Sync + 'static,
    ) {
        self.handlers.push(Box::new(move |event| Box::pin(handler(event))));
    }

    /// Calls every handler and polls it once, then drives those that are pending.
    pub(super) async fn emit(&self, event: E) {
        let event = Arc::new(event);
        let mut pending = poll_fn(|cx| Poll::Ready(self.start(&event, cx))).await;
        if !pending.is_empty() {
            poll_fn(|cx| {
                pending.retain_mut(|running| !settles(|| running.as_mut().poll(cx).is_ready()));
                if pending.is_empty() { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        }
    }

    fn start(&self, event: &Arc<E>, cx: &mut Context<'_>) -> Vec<Running> {
        let mut pending = Vec::new();
        for handler in &self.handlers {
            settles(|| {
                let mut running = handler(event.clone());
                let ready = running.as_mut().poll(cx).is_ready();
                if !ready {
                    pending.push(running);
                }
                ready
            });
        }
        pending
    }
}

/// Whether this was the handler's end: it is ready, or it panicked.
fn settles(poll: impl FnOnce() -> bool) -> bool {
    catch_unwind(AssertUnwindSafe(poll)).unwrap_or(true)
}

pub(super) fn group() -> Result<Group, Failure> {
    let about = "floor: a hand-written loop over boxed async handlers, each call and first poll under \
                 `catch_unwind`; no subscribing or removing, no order across types, no result.";
    let mut subjects = Vec::new();
    for handlers in [1, 4, 10, 16] {
        let floor = ticking(handlers);
        subjects.push(Workers::on(runtime()?, Row::new(format!("floor_{handlers}"), handlers), async move |times| {
            for n in 0..times {
                floor.emit(Tick { n }).await;
            }
        }));
    }
    Ok(Group { about, subjects })
}

pub(super) fn ticking(handlers: usize) -> Floor<Tick> {
    let mut floor = Floor::new();
    for _ in 0..handlers {
        floor.on(async |tick: Arc<Tick>| {
            black_box(tick.n);
        });
    }
    floor
}
