//! What the code of a handler is inside of, kept in thread-locals that are set around each poll (promises B8, B10,
//! B11).

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};
use std::thread::LocalKey;

use crate::bus::EventBus;
use crate::context::{Blank, Context, EventName, Reach};
use crate::dispatch::{Deferred, next_lane};

thread_local! {
    /// The context of the handler that is being polled.
    static CONTEXT: Cell<Option<Context>> = const { Cell::new(None) };
    /// The bus of the innermost [`EventBus::scope`].
    static SCOPE: Cell<Option<EventBus>> = const { Cell::new(None) };
    /// How many handler polls this thread is inside of.
    static NESTING: Cell<u32> = const { Cell::new(0) };
    /// How many handler polls and scopes it is inside of.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
    /// What was posted inside of handlers, to be queued when the outermost poll is over.
    static DEFERRED: RefCell<Vec<Deferred>> = const { RefCell::new(Vec::new()) };
    /// The memory of a context that nobody has any more.
    static SPARE: Cell<Option<Blank>> = const { Cell::new(None) };
    /// Which lane of every list this thread writes in; 0 until it is given out.
    static LANE: Cell<usize> = const { Cell::new(0) };
}

/// What an emit is inside of: the context of the handler that made it, and its reach.
pub(crate) type Origin = (Option<Context>, Option<Arc<Reach>>);

/// The bus of the innermost [`EventBus::scope`].
pub(crate) fn scope() -> Option<EventBus> {
    peek(&SCOPE)
}

/// The context of the handler being polled, and the reach that an event emitted here has.
pub(crate) fn inherited() -> Origin {
    let context = peek(&CONTEXT);
    let scope = scope();
    let reach = context.as_ref().and_then(Context::reach);
    let same_scope = match (&scope, reach.and_then(|reach| reach.scope.as_ref())) {
        (None, _) => true,
        (Some(here), Some(there)) => there.is(here),
        (Some(_), None) => false,
    };
    let reach = if same_scope {
        reach.cloned()
    } else {
        let inherited = reach.map(|reach| Reach::clone(reach)).unwrap_or_default();
        Some(Arc::new(Reach { scope: scope.as_ref().map(EventBus::downgrade), ..inherited }))
    };
    (context, reach)
}

/// A clone of what a thread-local holds. In a thread that is ending it holds nothing.
fn peek<T: Clone>(local: &'static LocalKey<Cell<Option<T>>>) -> Option<T> {
    let look = |cell: &Cell<Option<T>>| {
        let value = cell.take();
        let copy = value.clone();
        cell.set(value);
        copy
    };
    local.try_with(look).ok().flatten()
}

/// Puts `value` into a thread-local and returns what was there.
#[inline]
fn swap<T>(local: &'static LocalKey<Cell<Option<T>>>, value: Option<T>) -> Option<T> {
    local.try_with(|cell| cell.replace(value)).ok().flatten()
}

// `LocalKey::get` and `set` go through a function that is not inlined.

#[inline]
fn read<T: Copy>(local: &'static LocalKey<Cell<T>>) -> T {
    local.with(Cell::get)
}

#[inline]
fn write<T: Copy>(local: &'static LocalKey<Cell<T>>, value: T) {
    local.with(|cell| cell.set(value));
}

/// Keeps `posted` until the outermost handler poll of this thread is over; gives it back if there is none.
pub(crate) fn defer(posted: Deferred) -> Result<(), Deferred> {
    if read(&NESTING) == 0 {
        return Err(posted);
    }
    let mut posted = Some(posted);
    // In a thread that is ending there is no place to keep it, and it goes at once.
    _ = DEFERRED.try_with(|deferred| deferred.borrow_mut().extend(posted.take()));
    posted.map_or(Ok(()), Err)
}

/// A handler poll begins.
#[inline]
fn nest() {
    write(&NESTING, read(&NESTING) + 1);
    write(&INSIDE, read(&INSIDE) + 1);
}

/// A handler poll is over; if it was the outermost, what was posted in it is queued.
#[inline]
fn unnest() {
    write(&INSIDE, read(&INSIDE) - 1);
    let nesting = read(&NESTING) - 1;
    write(&NESTING, nesting);
    if nesting == 0 {
        release_deferred();
    }
}

#[inline]
fn release_deferred() {
    let waiting = DEFERRED.try_with(|deferred| !deferred.borrow().is_empty());
    if waiting.unwrap_or(false) {
        let posted = DEFERRED.try_with(|deferred| mem::take(&mut *deferred.borrow_mut())).unwrap_or_default();
        posted.into_iter().for_each(Deferred::release);
    }
}

/// The first pass of an emit: its context is the ambient one until this is dropped. Never held across an `.await`.
pub(crate) struct Pass {
    pub(crate) context: Context,
    previous: Option<Context>,
}

// Two pointers, which travel in registers: a third word would go through memory, and stall the emit.

/// Whether this thread is outside of any handler and scope.
#[inline]
pub(crate) fn is_outside() -> bool {
    read(&INSIDE) == 0
}

/// Begins the pass of an event that is emitted outside of any handler and scope; `None` inside of one.
#[inline]
pub(crate) fn begin_outside(name: &'static str, version: u32) -> Option<Pass> {
    if !is_outside() {
        return None;
    }
    let blank = swap(&SPARE, None).unwrap_or_default();
    Some(Pass::begin(blank.fill_plain(EventName::Static(name), version)))
}

impl Pass {
    /// Makes `context` the ambient one.
    #[inline]
    pub(crate) fn begin(context: Context) -> Self {
        nest();
        Self { previous: swap(&CONTEXT, Some(context.clone())), context }
    }
}

/// The lane of every list in which this thread may write.
#[inline]
pub(crate) fn lane() -> usize {
    match read(&LANE) {
        0 => first_lane(),
        lane => lane,
    }
}

#[cold]
fn first_lane() -> usize {
    write(&LANE, next_lane());
    read(&LANE)
}

impl Drop for Pass {
    #[inline]
    fn drop(&mut self) {
        let ended = swap(&CONTEXT, self.previous.take());
        if let Some(blank) = ended.and_then(Context::into_blank) {
            swap(&SPARE, Some(blank));
        }
        unnest();
    }
}

/// Makes `context` the ambient one until the guard is dropped. Never held across an `.await`.
pub(crate) fn enter(context: Context) -> Entered {
    nest();
    let scope = Scoped::of(&context);
    Entered { previous: swap(&CONTEXT, Some(context)), _scope: scope }
}

/// Restores what was ambient before.
pub(crate) struct Entered {
    previous: Option<Context>,
    _scope: Option<Scoped>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        drop(swap(&CONTEXT, self.previous.take()));
        unnest();
    }
}

/// A scope, until it is dropped.
pub(crate) struct Scoped(Option<EventBus>);

impl Scoped {
    /// The scope in which the event was emitted.
    pub(crate) fn of(context: &Context) -> Option<Self> {
        context.reach()?.scope.as_ref()?.upgrade().map(Self::enter)
    }

    fn enter(bus: EventBus) -> Self {
        write(&INSIDE, read(&INSIDE) + 1);
        Self(swap(&SCOPE, Some(bus)))
    }
}

impl Drop for Scoped {
    fn drop(&mut self) {
        write(&INSIDE, read(&INSIDE) - 1);
        drop(swap(&SCOPE, self.0.take()));
    }
}

/// A future that sees `context` as the ambient one whenever it is polled.
#[derive(Debug)]
pub(crate) struct InContext<F> {
    context: Context,
    future: Pin<Box<F>>,
}

pub(crate) fn in_context<F: Future>(context: Context, future: F) -> InContext<F> {
    InContext { context, future: Box::pin(future) }
}

impl<F: Future> Future for InContext<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, task: &mut task::Context<'_>) -> Poll<F::Output> {
        let _entered = enter(self.context.clone());
        self.future.as_mut().poll(task)
    }
}

/// A future that sees `bus` as the global one whenever it is polled.
#[derive(Debug)]
pub(crate) struct InScope<F> {
    bus: EventBus,
    future: Pin<Box<F>>,
}

pub(crate) fn in_scope<F: Future>(bus: EventBus, future: F) -> InScope<F> {
    InScope { bus, future: Box::pin(future) }
}

impl<F: Future> Future for InScope<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, task: &mut task::Context<'_>) -> Poll<F::Output> {
        let _scoped = Scoped::enter(self.bus.clone());
        self.future.as_mut().poll(task)
    }
}
