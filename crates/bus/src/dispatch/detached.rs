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
use crate::bus::{EventBus, WeakEventBus};
use crate::dispatch::EmitError;
use crate::dispatch::isolate::isolated;
use crate::emitted::Emitted;
use crate::tracker::{Ticket, Tracker};

type Outcome = Result<Emitted, EmitError>;

/// The line. It is pumped by a task that lives while the line is not empty, and keeps the bus alive meanwhile; what
/// waits in the line does not.
#[derive(Default)]
pub(crate) struct Fifo {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    line: VecDeque<Posted>,
    pumping: bool,
}

struct Posted {
    begin: Box<dyn FnOnce(EventBus) -> Running + Send>,
    reply: oneshot::Sender<Outcome>,
    ticket: Ticket,
}

type Running = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// An emit that waits until the handlers around it had their turn.
pub(crate) struct Deferred {
    bus: EventBus,
    posted: Posted,
    runtime: Handle,
}

impl Deferred {
    pub(crate) fn release(self) {
        let Self { bus, posted, runtime } = self;
        bus.shared.fifo.lock().line.push_back(posted);
        bus.work_off_line(&runtime);
    }
}

impl EventBus {
    /// Puts an emit at the end of the line; inside of a handler, when the poll of the outermost emit is over.
    pub(crate) fn post_later(
        &self,
        begin: impl FnOnce(Self) -> Running + Send + 'static,
        ticket: Ticket,
        runtime: Handle,
    ) -> Detached {
        let (reply, outcome) = oneshot::channel();
        let posted = Posted { begin: Box::new(begin), reply, ticket };
        let deferred = ambient::defer(Deferred { bus: self.clone(), posted, runtime });
        if let Err(outside) = deferred {
            outside.release();
        }
        Detached { outcome, bus: self.downgrade() }
    }

    /// Makes sure that a task is at the line, if there is something to do.
    pub(crate) fn work_off_line(&self, runtime: &Handle) {
        let mut state = self.shared.fifo.lock();
        if !state.pumping && !state.line.is_empty() {
            state.pumping = true;
            drop(state);
            runtime.spawn(Pump(Some(self.clone())).run());
        }
    }
}

impl Fifo {
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
struct Pump(Option<EventBus>);

impl Pump {
    /// Starts each emit in order. What waits goes on in a task of its own.
    async fn run(mut self) {
        let Some(bus) = self.0.clone() else { return };
        let mut in_a_row = 0;
        while let Some(posted) = bus.shared.fifo.next() {
            if bus.shared.tracker.is_cut() {
                continue;
            }
            let Posted { begin, reply, ticket } = posted;
            let mut started = Started { emit: begin(bus.clone()), reply, ticket };
            let polled = poll_fn(|task| Poll::Ready(isolated(|| started.emit.as_mut().poll(task)))).await;
            match polled {
                Ok(Poll::Ready(outcome)) => started.finish(outcome),
                // Handlers are isolated, so this is the event's own drop.
                Err(panic) => tracing::error!(target: "oyez", error = panic.reason(), "a posted event panicked"),
                Ok(Poll::Pending) => _ = tokio::spawn(drive(started, Arc::clone(&bus.shared.tracker))),
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
        if let Some(bus) = &self.0 {
            bus.shared.fifo.lock().pumping = false;
            bus.shared.tracker.left();
        }
    }
}

/// An emit from the line, under way.
struct Started {
    emit: Running,
    reply: oneshot::Sender<Outcome>,
    ticket: Ticket,
}

async fn drive(mut started: Started, tracker: Arc<Tracker>) {
    tokio::select! {
        outcome = started.emit.as_mut() => started.finish(outcome),
        () = tracker.until_cut() => {}
    }
}

impl Started {
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
    bus: WeakEventBus,
}

impl Future for Detached {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, task: &mut task::Context<'_>) -> Poll<Outcome> {
        if let Poll::Ready(outcome) = Pin::new(&mut self.outcome).poll(task) {
            return Poll::Ready(outcome.unwrap_or(Err(EmitError::Closed)));
        }
        // The runtime that was at the line may have ended.
        if let (Some(bus), Ok(runtime)) = (self.bus.upgrade(), Handle::try_current()) {
            bus.work_off_line(&runtime);
        }
        Poll::Pending
    }
}

impl fmt::Debug for Fifo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fifo").field("waiting", &self.lock().line.len()).finish_non_exhaustive()
    }
}
