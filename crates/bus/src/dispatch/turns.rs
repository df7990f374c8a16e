//! [`Turns`]: takes one event through its handlers (promises B1 to B5).

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::slice::Iter;
use std::sync::Arc;
use std::task::{self, Poll};

use futures_core::Stream;
use futures_util::stream::FuturesUnordered;

use crate::ambient::{self, Pass};
use crate::context::Context;
use crate::dispatch::handlers::{Entry, Handlers, Typed};
use crate::dispatch::isolate::{HandlerResult, Quiet, isolated};
use crate::dispatch::record::Record;
use crate::dispatch::subscriber::Started;
use crate::emitted::Emitted;
use crate::event::Event;

/// How the handlers of one emit run beside each other (promise B2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dispatch {
    /// Each handler is polled once, in order; those that wait are then driven together.
    #[default]
    Concurrent,
    /// The next handler starts when the one before has finished.
    Sequential,
}

/// Runs a list whose handlers are [all synchronous](Handlers::all_sync): no `Arc` of the event, nothing to wait for.
#[inline]
pub(crate) fn run_sync<E: Event>(handlers: &Handlers<Typed<E>>, event: &E, pass: &Pass) -> Emitted {
    let context = &pass.context;
    let mut emitted = Emitted::default();
    handlers.count_pass(pass.lane);
    let mut turns = handlers.entries.iter();
    while let Err(panic) = isolated(|| call_sync(&mut turns, &mut emitted, event, context)) {
        // The handler that panicked is the one before those that are left.
        let at = handlers.entries.len() - turns.len() - 1;
        emitted.failures.push(handlers.entries[at].record().fail(context.name(), panic));
    }
    emitted
}

/// Calls the handlers that are left.
#[inline]
fn call_sync<E: Event>(turns: &mut Iter<'_, Typed<E>>, emitted: &mut Emitted, event: &E, context: &Context) {
    for entry in turns {
        let Typed::Exact(subscriber) = entry else { continue };
        let Some(run) = subscriber.plain_sync() else { continue };
        if !subscriber.record.is_on() {
            subscriber.record.pass_over();
            continue;
        }
        match run(event, context) {
            Ok(()) => emitted.delivered += 1,
            Err(error) => emitted.failures.push(subscriber.record.fail(context.name(), error)),
        }
    }
}

/// One event on its way through a list of handlers.
pub(crate) struct Turns<N: Entry> {
    handlers: Arc<Handlers<N>>,
    event: N::Event,
    context: Context,
    mode: Dispatch,
    next: usize,
    waiting: FuturesUnordered<Waiting>,
    emitted: Emitted,
}

/// Where an emit has come to.
#[derive(Default)]
pub(crate) struct Progress {
    next: usize,
    waiting: Vec<Waiting>,
    emitted: Emitted,
}

/// Polls each handler once, in order; in [`Dispatch::Sequential`] up to the first that waits.
#[inline]
pub(crate) fn first_pass<N: Entry>(
    progress: &mut Progress,
    handlers: &Handlers<N>,
    event: &N::Event,
    pass: &Pass,
    mode: Dispatch,
    task: &mut task::Context<'_>,
) {
    handlers.count_pass(pass.lane);
    let mut seats = handlers.take_seats(pass.lane);
    progress.advance(handlers, &mut seats, event, &pass.context, mode, task);
    handlers.leave_seats(pass.lane, seats);
}

impl Progress {
    /// Starts the handlers that are left, as far as the mode allows.
    #[inline]
    fn advance<N: Entry>(
        &mut self,
        handlers: &Handlers<N>,
        seats: &mut [N::Seat],
        event: &N::Event,
        context: &Context,
        mode: Dispatch,
        task: &mut task::Context<'_>,
    ) {
        let from = self.next;
        for (entry, seat) in handlers.entries[from..].iter().zip(&mut seats[from..]) {
            self.next += 1;
            let record = entry.record();
            match entry.start(event, seat, context, &handlers.layers, task) {
                Started::Done(result) => settle(&mut self.emitted, record, context, result),
                Started::Skipped => record.pass_over(),
                Started::Queued => {
                    record.pass_over();
                    self.emitted.delivered += 1;
                }
                Started::Pending(rest) => self.waiting.push(Waiting::new(record, rest)),
                Started::Waiting(rest) => {
                    record.pass_over();
                    self.waiting.push(Waiting::new(record, rest));
                }
            }
            if mode == Dispatch::Sequential && !self.waiting.is_empty() {
                return;
            }
        }
    }
}

#[inline]
fn settle(emitted: &mut Emitted, record: &Record, context: &Context, result: HandlerResult) {
    match result {
        Ok(()) => emitted.delivered += 1,
        Err(error) => emitted.failures.push(record.fail(context.name(), error)),
    }
}

impl Progress {
    /// The outcome, if no handler waits.
    #[inline]
    pub(crate) fn finished(&mut self) -> Option<Emitted> {
        self.waiting.is_empty().then(|| mem::take(&mut self.emitted))
    }
}

impl<N: Entry> Turns<N> {
    /// Goes on from a first pass after which handlers wait.
    #[cold]
    pub(crate) fn new(
        handlers: Arc<Handlers<N>>,
        event: N::Event,
        context: Context,
        mode: Dispatch,
        progress: Progress,
    ) -> Self {
        context.keep_time();
        let Progress { next, waiting, emitted } = progress;
        Self { handlers, event, context, mode, next, waiting: waiting.into_iter().collect(), emitted }
    }
}

impl<N: Entry> Future for Turns<N> {
    type Output = Emitted;

    fn poll(self: Pin<&mut Self>, task: &mut task::Context<'_>) -> Poll<Emitted> {
        let this = self.get_mut();
        let _entered = ambient::enter(this.context.clone());
        loop {
            match Pin::new(&mut this.waiting).poll_next(task) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some((record, result))) => settle(&mut this.emitted, &record, &this.context, result),
                Poll::Ready(None) => {
                    if this.next == this.handlers.entries.len() {
                        return Poll::Ready(mem::take(&mut this.emitted));
                    }
                    let emitted = mem::take(&mut this.emitted);
                    let mut progress = Progress { next: this.next, waiting: Vec::new(), emitted };
                    let mut seats = this.handlers.new_seats();
                    progress.advance(&this.handlers, &mut seats, &this.event, &this.context, this.mode, task);
                    this.next = progress.next;
                    this.emitted = progress.emitted;
                    this.waiting.extend(progress.waiting);
                }
            }
        }
    }
}

impl<N: Entry> Drop for Turns<N> {
    fn drop(&mut self) {
        let entries = &self.handlers.entries;
        entries[self.next.min(entries.len())..].iter().for_each(|entry| entry.record().pass_over());
    }
}

/// A handler that waits.
struct Waiting {
    record: Arc<Record>,
    rest: Option<Quiet>,
}

impl Waiting {
    fn new(record: &Arc<Record>, rest: Quiet) -> Self {
        Self { record: Arc::clone(record), rest: Some(rest) }
    }
}

impl Future for Waiting {
    type Output = (Arc<Record>, HandlerResult);

    fn poll(mut self: Pin<&mut Self>, task: &mut task::Context<'_>) -> Poll<Self::Output> {
        let Some(rest) = self.rest.as_mut() else { return Poll::Pending };
        let result = std::task::ready!(Pin::new(rest).poll(task));
        self.rest = None;
        Poll::Ready((Arc::clone(&self.record), result))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.rest.take().is_some() {
            self.record.cancel();
        }
    }
}
