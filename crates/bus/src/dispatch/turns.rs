//! [`Turns`]: takes one event through its handlers (promises B1 to B5).

use std::borrow::BorrowMut;
use std::future::Future;
use std::iter;
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
use crate::dispatch::payload::Handed;
use crate::dispatch::record::Record;
use crate::dispatch::subscriber::Started;
use crate::emitted::Emitted;
use crate::event::Event;
use crate::queue::Room;

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
pub(crate) fn run_sync<E: Event>(handlers: &Handlers<Typed<E>>, event: &E, pass: &Pass, emitted: &mut Emitted) {
    let context = &pass.context;
    handlers.count_pass(ambient::lane());
    let mut turns = handlers.entries.iter();
    while let Err(panic) = isolated(|| call_sync(&mut turns, emitted, event, context)) {
        // The handler that panicked is the one before those that are left.
        let at = handlers.entries.len() - turns.len() - 1;
        emitted.failed(handlers.entries[at].record().fail(context.name(), panic));
    }
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
            Err(error) => emitted.failed(subscriber.record.fail(context.name(), error)),
        }
    }
}

/// One event on its way through a list of handlers.
pub(crate) struct Turns<N: Entry> {
    handlers: Arc<Handlers<N>>,
    /// None when the last handler has it.
    event: Option<N::Event>,
    context: Context,
    mode: Dispatch,
    next: usize,
    waiting: FuturesUnordered<Waiting>,
    emitted: Emitted,
}

/// Where an emit has come to.
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
    event: &mut Option<N::Event>,
    pass: &Pass,
    mode: Dispatch,
    task: &mut task::Context<'_>,
) {
    let lane = ambient::lane();
    if mode == Dispatch::Concurrent {
        handlers.count_pass(lane);
    }
    match handlers.take_seats(lane) {
        Some(mut seats) => {
            progress.advance(handlers, &mut *seats, event, &pass.context, mode, task);
            handlers.leave_seats(lane, seats);
        }
        None => progress.advance_unseated(handlers, event, &pass.context, mode, task),
    }
}

impl Progress {
    /// `emitted` is what is known of the outcome already.
    #[inline]
    pub(crate) fn new(emitted: Emitted) -> Self {
        Self { next: 0, waiting: Vec::new(), emitted }
    }

    /// Starts the handlers that are left, as far as the mode allows, and gives the event to the last one.
    #[inline]
    fn advance<N: Entry>(
        &mut self,
        handlers: &Handlers<N>,
        seats: impl IntoIterator<Item: BorrowMut<N::Seat>>,
        event: &mut Option<N::Event>,
        context: &Context,
        mode: Dispatch,
        task: &mut task::Context<'_>,
    ) {
        let left = &handlers.entries[self.next..];
        for (entry, mut seat) in left.iter().zip(seats) {
            self.next += 1;
            let last = self.next == handlers.entries.len();
            let handed = if last { Handed::Given(&mut *event) } else { Handed::Lent(&*event) };
            let started = entry.start(handed, seat.borrow_mut(), context, &handlers.layers, task);
            if !self.took_turn(entry.record(), started, context, mode) {
                break;
            }
        }
    }

    /// Does so where there are no seats: each handler gets one for this call.
    #[cold]
    fn advance_unseated<N: Entry>(
        &mut self,
        handlers: &Handlers<N>,
        event: &mut Option<N::Event>,
        context: &Context,
        mode: Dispatch,
        task: &mut task::Context<'_>,
    ) {
        self.advance(handlers, iter::repeat_with(N::Seat::default), event, context, mode, task);
    }

    /// Notes what came of a turn; whether the next handler may start.
    #[inline]
    fn took_turn(&mut self, record: &Arc<Record>, started: Started, context: &Context, mode: Dispatch) -> bool {
        match (started, mode) {
            (Started::Done(result), Dispatch::Concurrent) => {
                settle(&mut self.emitted, record, context, result);
                true
            }
            (started, mode) => self.took_other_turn(record, started, context, mode),
        }
    }

    fn took_other_turn(&mut self, record: &Arc<Record>, started: Started, context: &Context, mode: Dispatch) -> bool {
        let (called, rest) = match started {
            Started::Done(result) => {
                settle(&mut self.emitted, record, context, result);
                (true, None)
            }
            Started::Pending(handler) => (true, Some(Rest::Handler(handler))),
            Started::Full(room) => (false, Some(Rest::Room(room))),
            Started::Queued => {
                self.emitted.delivered += 1;
                (false, None)
            }
            Started::Skipped => (false, None),
        };
        // The list has counted a call for every handler of a concurrent emit.
        match (mode, called) {
            (Dispatch::Concurrent, false) => record.pass_over(),
            (Dispatch::Sequential, true) => record.add_calls(1),
            _ => {}
        }
        let waits = rest.is_some();
        self.waiting.extend(rest.map(|rest| Waiting { record: Arc::clone(record), rest }));
        !waits || mode == Dispatch::Concurrent
    }
}

#[inline]
fn settle(emitted: &mut Emitted, record: &Record, context: &Context, result: HandlerResult) {
    match result {
        Ok(()) => emitted.delivered += 1,
        Err(error) => emitted.failed(record.fail(context.name(), error)),
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
        event: Option<N::Event>,
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
                Poll::Ready(Some((record, Some(result)))) => settle(&mut this.emitted, &record, &this.context, result),
                Poll::Ready(Some((_, None))) => {}
                Poll::Ready(None) => {
                    if this.next == this.handlers.entries.len() {
                        return Poll::Ready(mem::take(&mut this.emitted));
                    }
                    let emitted = mem::take(&mut this.emitted);
                    let mut progress = Progress { next: this.next, waiting: Vec::new(), emitted };
                    progress.advance_unseated(&this.handlers, &mut this.event, &this.context, this.mode, task);
                    this.next = progress.next;
                    this.emitted = progress.emitted;
                    this.waiting.extend(progress.waiting);
                }
            }
        }
    }
}

/// A handler that waits, or an event that waits for room in a handler's queue.
struct Waiting {
    record: Arc<Record>,
    rest: Rest,
}

impl Future for Waiting {
    type Output = (Arc<Record>, Option<HandlerResult>);

    fn poll(mut self: Pin<&mut Self>, task: &mut task::Context<'_>) -> Poll<Self::Output> {
        let result = match &mut self.rest {
            Rest::Handler(handler) => Some(std::task::ready!(Pin::new(handler).poll(task))),
            Rest::Room(room) => std::task::ready!(room.as_mut().poll(task)),
            Rest::Over => return Poll::Pending,
        };
        self.rest = Rest::Over;
        Poll::Ready((Arc::clone(&self.record), result))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // Whether an event that waited for room is lost is for its queue to say.
        if matches!(self.rest, Rest::Handler(_)) {
            self.record.cancel();
        }
    }
}

/// What a [`Waiting`] waits for.
enum Rest {
    Handler(Quiet),
    Room(Room),
    Over,
}
