//! What the code of a handler is inside of, kept in a thread-local that is set around each poll (promises B8, B10,
//! B11).

use std::cell::RefCell;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use crate::bus::EventBus;
use crate::context::{Context, Reach};
use crate::dispatch::Deferred;

/// The state of one thread. Empty outside of handlers and scopes.
struct Ambient {
    context: Option<Context>,
    scope: Option<EventBus>,
    /// How many handler polls this thread is inside of.
    nesting: u32,
    /// What was posted inside of them, to be queued when the outermost is over.
    deferred: Vec<Deferred>,
}

thread_local! {
    static AMBIENT: RefCell<Ambient> =
        const { RefCell::new(Ambient { context: None, scope: None, nesting: 0, deferred: Vec::new() }) };
}

/// The bus of the innermost [`EventBus::scope`].
pub(crate) fn scope() -> Option<EventBus> {
    AMBIENT.try_with(|ambient| ambient.borrow().scope.clone()).ok().flatten()
}

/// The context of the handler being polled, and the reach that an event emitted here has.
pub(crate) fn inherited() -> (Option<Context>, Option<Arc<Reach>>) {
    let read = |ambient: &RefCell<Ambient>| {
        let ambient = ambient.borrow();
        let parent = ambient.context.clone();
        let reach = parent.as_ref().and_then(Context::reach);
        let same_scope = match (&ambient.scope, reach.and_then(|reach| reach.scope.as_ref())) {
            (None, _) => true,
            (Some(here), Some(there)) => here.is(there),
            (Some(_), None) => false,
        };
        let reach = match reach {
            reach if same_scope => reach.cloned(),
            reach => {
                let inherited = reach.map(|reach| Reach::clone(reach)).unwrap_or_default();
                Some(Arc::new(Reach { scope: ambient.scope.clone(), ..inherited }))
            }
        };
        (parent, reach)
    };
    AMBIENT.try_with(read).unwrap_or_default()
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
    fn drop(&mut self) {
        let restore = |ambient: &RefCell<Ambient>| {
            let mut ambient = ambient.borrow_mut();
            ambient.nesting -= 1;
            let context = mem::replace(&mut ambient.context, self.context.take());
            let scope = self.scope.take().map(|previous| mem::replace(&mut ambient.scope, previous));
            let idle = ambient.nesting == 0 && !ambient.deferred.is_empty();
            let posted = if idle { mem::take(&mut ambient.deferred) } else { Vec::new() };
            (context, scope, posted)
        };
        // What is taken out is dropped and queued here, when the thread-local is no longer borrowed.
        if let Ok((_context, _scope, posted)) = AMBIENT.try_with(restore) {
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
