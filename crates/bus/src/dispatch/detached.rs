//! Emits that nobody waits for: [`post`](crate::EventBus::post) and
//! [`emit_detached`](crate::EventBus::emit_detached) share one first-in-first-out line for each bus (promises B8,
//! B15).

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{self, Poll};

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::ambient;
use crate::dispatch::EmitError;
use crate::dispatch::isolate::isolated;
use crate::emitted::Emitted;
use crate::tracker::{Ticket, Tracker};

type Outcome = Result<Emitted, EmitError>;

/// The line. It is pumped by a task that lives while the line is not empty.
pub(crate) struct Fifo {
    state: Mutex<State>,
    tracker: Arc<Tracker>,
}

#[derive(Default)]
struct State {
    line: VecDeque<Posted>,
    pumping: bool,
}

struct Posted {
    emit: Pin<Box<dyn Future<Output = Outcome> + Send>>,
    reply: oneshot::Sender<Outcome>,
    ticket: Ticket,
}

/// An emit that waits until the handlers around it had their turn.
pub(crate) struct Deferred {
    fifo: Arc<Fifo>,
    posted: Posted,
    runtime: Handle,
}

impl Deferred {
    pub(crate) fn release(self) {
        self.fifo.push(self.posted, &self.runtime);
    }
}

impl Fifo {
    pub(crate) fn new(tracker: Arc<Tracker>) -> Self {
        Self { state: Mutex::default(), tracker }
    }

    /// Puts an emit at the end of the line; inside of a handler, when the poll of the outermost emit is over.
    pub(crate) fn post(
        self: &Arc<Self>,
        emit: impl Future<Output = Outcome> + Send + 'static,
        ticket: Ticket,
        runtime: Handle,
    ) -> Detached {
        let (reply, outcome) = oneshot::channel();
        let posted = Posted { emit: Box::pin(emit), reply, ticket };
        let deferred = ambient::defer(Deferred { fifo: Arc::clone(self), posted, runtime });
        if let Err(outside) = deferred {
            outside.release();
        }
        Detached { outcome }
    }

    fn push(self: &Arc<Self>, posted: Posted, runtime: &Handle) {
        self.lock().line.push_back(posted);
        self.resume(runtime);
    }

    /// Makes sure that a task is at the line, if there is something to do.
    pub(crate) fn resume(self: &Arc<Self>, runtime: &Handle) {
        let mut state = self.lock();
        if !state.pumping && !state.line.is_empty() {
            state.pumping = true;
            drop(state);
            runtime.spawn(Pump(Some(Arc::clone(self))).run());
        }
    }

    fn next(&self) -> Option<Posted> {
        let mut state = self.lock();
        let next = state.line.pop_front();
        state.pumping = next.is_some();
        next
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The task that works off the line. If it is dropped with its runtime, also before its first poll, another one may take
/// over.
struct Pump(Option<Arc<Fifo>>);

impl Pump {
    /// Starts each emit in order. What waits goes on in a task of its own.
    async fn run(mut self) {
        let Some(fifo) = self.0.clone() else { return };
        let mut in_a_row = 0;
        while let Some(mut posted) = fifo.next() {
            if fifo.tracker.is_cut() {
                continue;
            }
            let polled = poll_fn(|task| Poll::Ready(isolated(|| posted.emit.as_mut().poll(task)))).await;
            match polled {
                Ok(Poll::Ready(outcome)) => posted.finish(outcome),
                // Handlers are isolated, so this is the event's own drop.
                Err(panic) => tracing::error!(target: "oyez", error = panic.reason(), "a posted event panicked"),
                Ok(Poll::Pending) => _ = tokio::spawn(drive(posted, Arc::clone(&fifo.tracker))),
            }
            in_a_row += 1;
            if in_a_row % 64 == 0 {
                tokio::task::yield_now().await;
            }
        }
        // The line ran dry, and from then on it may have another pump.
        self.0 = None;
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        if let Some(fifo) = &self.0 {
            fifo.lock().pumping = false;
            fifo.tracker.left();
        }
    }
}

async fn drive(mut posted: Posted, tracker: Arc<Tracker>) {
    tokio::select! {
        outcome = posted.emit.as_mut() => posted.finish(outcome),
        () = tracker.until_cut() => {}
    }
}

impl Posted {
    fn finish(self, outcome: Outcome) {
        // Nobody need listen: that is what detached means.
        _ = self.reply.send(outcome);
        drop(self.ticket);
    }
}

/// A detached emit. Await it for the outcome, or drop it: the emit goes on.
///
/// # Errors
/// It resolves to what awaiting the emit would have given, and to [`EmitError::Closed`] if shutdown cut it or its runtime
/// ended.
///
/// # Cancel safety
/// Polled by reference in a `select!`, it loses nothing.
#[derive(Debug)]
pub struct Detached {
    outcome: oneshot::Receiver<Outcome>,
}

impl Future for Detached {
    type Output = Outcome;

    /// [`EmitError::Closed`] if shutdown cut the emit.
    fn poll(mut self: Pin<&mut Self>, task: &mut task::Context<'_>) -> Poll<Outcome> {
        Pin::new(&mut self.outcome).poll(task).map(|outcome| outcome.unwrap_or(Err(EmitError::Closed)))
    }
}

impl fmt::Debug for Fifo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fifo").field("waiting", &self.lock().line.len()).finish_non_exhaustive()
    }
}
