//! What the code of a handler is inside of, kept in a thread-local that is set around each poll (promises B8, B10,
//! B11).

use std::cell::RefCell;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use crate::bus::EventBus;
use crate::context::{Blank, Context, EventName, Given, Reach};
use crate::dispatch::Deferred;
use crate::dispatch::next_lane;

/// What an emit is inside of: the context of the handler that made it, and its reach.
pub(crate) type Origin = (Option<Context>, Option<Arc<Reach>>);

/// The state of one thread. Empty outside of handlers and scopes.
struct Ambient {
    context: Option<Context>,
    scope: Option<EventBus>,
    /// How many handler polls this thread is inside of.
    nesting: u32,
    /// What was posted inside of them, to be queued when the outermost is over.
    deferred: Vec<Deferred>,
    /// The memory of a context that nobody has any more.
    spare: Option<Blank>,
    /// Which lane of every list this thread writes in; 0 until it is given out.
    lane: usize,
}

thread_local! {
    static AMBIENT: RefCell<Ambient> =
        const { RefCell::new(Ambient { context: None, scope: None, nesting: 0, deferred: Vec::new(), spare: None, lane: 0 }) };
}

/// The bus of the innermost [`EventBus::scope`].
pub(crate) fn scope() -> Option<EventBus> {
    AMBIENT.try_with(|ambient| ambient.borrow().scope.clone()).ok().flatten()
}

/// The context of the handler being polled, and the reach that an event emitted here has.
#[inline]
pub(crate) fn inherited() -> Origin {
    let read = |ambient: &RefCell<Ambient>| ambient.borrow().inherited();
    AMBIENT.try_with(read).unwrap_or_default()
}

impl Ambient {
    /// A handler poll is over; what was posted in it, if it was the outermost.
    #[inline]
    fn leave(&mut self) -> Option<Vec<Deferred>> {
        self.nesting -= 1;
        let over = self.nesting == 0 && !self.deferred.is_empty();
        over.then(|| mem::take(&mut self.deferred))
    }

    #[cold]
    fn begin_inside<E>(
        &mut self,
        name: EventName,
        version: u32,
        given: Option<Box<Given>>,
        (parent, reach): Origin,
        admit: impl FnOnce(Option<&Context>, Option<&Reach>) -> Result<(), E>,
    ) -> Result<Pass, E> {
        admit(parent.as_ref(), reach.as_deref())?;
        let context = self.spare.take().unwrap_or_default().fill(name, version, parent, given, reach);
        Ok(self.pass(context))
    }

    #[inline]
    fn pass(&mut self, context: Context) -> Pass {
        self.nesting += 1;
        if self.lane == 0 {
            self.lane = next_lane();
        }
        Pass { lane: self.lane, previous: self.context.replace(context.clone()), context }
    }

    #[inline]
    fn inherited(&self) -> Origin {
        if self.context.is_none() && self.scope.is_none() { (None, None) } else { self.inherited_from_handler() }
    }

    fn inherited_from_handler(&self) -> Origin {
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

/// The first pass of an emit: its context is the ambient one until this is dropped. Never held across an `.await`.
pub(crate) struct Pass {
    pub(crate) context: Context,
    /// The lane in which the emit may write.
    pub(crate) lane: usize,
    previous: Option<Context>,
}

/// Makes the context of an event that is emitted here, and makes it the ambient one. `admit` sees what the emit is
/// inside of, and may refuse it.
///
/// An emit goes through the thread-local twice: here, and when the pass is dropped.
#[inline]
pub(crate) fn begin<E>(
    name: EventName,
    version: u32,
    admit: impl FnOnce(Option<&Context>, Option<&Reach>) -> Result<(), E>,
) -> Result<Pass, E> {
    AMBIENT.with(|ambient| {
        let mut ambient = ambient.borrow_mut();
        if ambient.context.is_some() || ambient.scope.is_some() {
            let origin = ambient.inherited();
            return ambient.begin_inside(name, version, None, origin, admit);
        }
        admit(None, None)?;
        let context = ambient.spare.take().unwrap_or_default().fill(name, version, None, None, None);
        Ok(ambient.pass(context))
    })
}

/// [`begin`] for an event of which the emitter said more, or that comes from elsewhere.
pub(crate) fn begin_with<E>(
    name: EventName,
    version: u32,
    given: Option<Box<Given>>,
    origin: Option<Origin>,
    admit: impl FnOnce(Option<&Context>, Option<&Reach>) -> Result<(), E>,
) -> Result<Pass, E> {
    AMBIENT.with(|ambient| {
        let mut ambient = ambient.borrow_mut();
        let origin = origin.unwrap_or_else(|| ambient.inherited());
        ambient.begin_inside(name, version, given, origin, admit)
    })
}

impl Drop for Pass {
    #[inline]
    fn drop(&mut self) {
        let restore = |ambient: &RefCell<Ambient>| {
            let mut ambient = ambient.borrow_mut();
            let mut ended = mem::replace(&mut ambient.context, self.previous.take());
            if ended.as_ref().is_some_and(Context::is_plain) {
                let blank = ended.take().map(Blank::from);
                ambient.spare = blank;
            }
            (ended, ambient.leave())
        };
        // What is taken out is dropped and queued here, when the thread-local is no longer borrowed.
        if let Ok((_ended, Some(posted))) = AMBIENT.try_with(restore) {
            posted.into_iter().for_each(Deferred::release);
        }
    }
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
            let context = mem::replace(&mut ambient.context, self.context.take());
            let scope = self.scope.take().map(|previous| mem::replace(&mut ambient.scope, previous));
            (context, scope, ambient.leave())
        };
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
