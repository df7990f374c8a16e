//! What the code of a handler is inside of, kept in a thread-local that is set around each poll (promises B8, B10,
//! B11).

use std::cell::RefCell;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use crate::bus::EventBus;
use crate::context::{Context, Inner, Reach};
use crate::dispatch::Deferred;

/// The state of one thread. Empty outside of handlers and scopes.
struct Ambient {
    context: Option<Context>,
    scope: Option<EventBus>,
    /// How many handler polls this thread is inside of.
    nesting: u32,
    /// What was posted inside of them, to be queued when the outermost is over.
    deferred: Vec<Deferred>,
    /// The memory of a context that nobody has any more.
    spare: Option<Arc<Inner>>,
}

thread_local! {
    static AMBIENT: RefCell<Ambient> =
        const { RefCell::new(Ambient { context: None, scope: None, nesting: 0, deferred: Vec::new(), spare: None }) };
}

/// The bus of the innermost [`EventBus::scope`].
pub(crate) fn scope() -> Option<EventBus> {
    AMBIENT.try_with(|ambient| ambient.borrow().scope.clone()).ok().flatten()
}

/// The context of the handler being polled, and the reach that an event emitted here has.
#[inline]
pub(crate) fn inherited() -> (Option<Context>, Option<Arc<Reach>>) {
    let read = |ambient: &RefCell<Ambient>| {
        let ambient = ambient.borrow();
        if ambient.context.is_none() && ambient.scope.is_none() { (None, None) } else { ambient.inherited() }
    };
    AMBIENT.try_with(read).unwrap_or_default()
}

impl Ambient {
    fn inherited(&self) -> (Option<Context>, Option<Arc<Reach>>) {
        let reach = self.context.as_ref().and_then(Context::reach);
        let same_scope = match (&self.scope, reach.and_then(|reach| reach.scope.as_ref())) {
            (None, _) => true,
            (Some(here), Some(there)) => here.is(there),
            (Some(_), None) => false,
        };
        if same_scope {
            return (self.context.clone(), reach.cloned());
        }
        let inherited = reach.map(|reach| Reach::clone(reach)).unwrap_or_default();
        (self.context.clone(), Some(Arc::new(Reach { scope: self.scope.clone(), ..inherited })))
    }
}

/// The memory of the last context that was recycled on this thread.
#[inline]
pub(crate) fn take_spare() -> Option<Arc<Inner>> {
    AMBIENT.try_with(|ambient| ambient.borrow_mut().spare.take()).ok().flatten()
}

#[inline]
pub(crate) fn keep_spare(spare: Arc<Inner>) {
    // What is replaced is empty, so dropping it inside of the borrow runs nobody's code.
    _ = AMBIENT.try_with(|ambient| ambient.borrow_mut().spare = Some(spare));
}

/// Keeps `posted` until the outermost handler poll of this thread is over; gives it back if there is none.
pub(crate) fn defer(posted: Deferred) -> Result<(), Deferred> {
    let mut posted = Some(posted);
    _ = AMBIENT.try_with(|ambient| {
        let mut ambient = ambient.borrow_mut();
        if ambient.nesting > 0 {
            ambient.deferred.extend(posted.take());
        }
    });
    posted.map_or(Ok(()), Err)
}

/// Makes `context` the ambient one until the guard is dropped. Never held across an `.await`.
pub(crate) fn enter(context: Context) -> Entered {
    let swap = |ambient: &RefCell<Ambient>| {
        let mut ambient = ambient.borrow_mut();
        ambient.nesting += 1;
        let scope = match context.reach().and_then(|reach| reach.scope.as_ref()) {
            Some(scope) => Some(ambient.scope.replace(scope.clone())),
            None => None,
        };
        Entered { context: ambient.context.replace(context), scope }
    };
    AMBIENT.with(swap)
}

/// Restores what was ambient before.
pub(crate) struct Entered {
    context: Option<Context>,
    scope: Option<Option<EventBus>>,
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        let restore = |ambient: &RefCell<Ambient>| {
            let mut ambient = ambient.borrow_mut();
            ambient.nesting -= 1;
            let context = mem::replace(&mut ambient.context, self.context.take());
            let scope = self.scope.take().map(|previous| mem::replace(&mut ambient.scope, previous));
            let over = ambient.nesting == 0 && !ambient.deferred.is_empty();
            (context, scope, over.then(|| mem::take(&mut ambient.deferred)))
        };
        // What is taken out is dropped and queued here, when the thread-local is no longer borrowed.
        if let Ok((_context, _scope, Some(posted))) = AMBIENT.try_with(restore) {
            posted.into_iter().for_each(Deferred::release);
        }
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

struct Scoped(Option<EventBus>);

impl Scoped {
    fn enter(bus: EventBus) -> Self {
        Self(AMBIENT.with(|ambient| ambient.borrow_mut().scope.replace(bus)))
    }
}

impl Drop for Scoped {
    fn drop(&mut self) {
        let previous = self.0.take();
        // The replaced bus is dropped outside of the borrow: it may be the last handle.
        drop(AMBIENT.try_with(|ambient| mem::replace(&mut ambient.borrow_mut().scope, previous)));
    }
}
