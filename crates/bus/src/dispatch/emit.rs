//! [`Emit`]: the future of one emit, with what the caller may say about it first.

use std::fmt;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use arc_swap::Guard;
use tokio::runtime::Handle;
use tokio::task::coop::poll_proceed;

use crate::ambient::{self, Pass, Scoped};
use crate::bus::EventBus;
use crate::context::{Context, EventName, Reach};
use crate::dispatch::detached::Detached;
use crate::dispatch::emit_error::EmitError;
use crate::dispatch::handlers::{Handlers, Typed};
use crate::dispatch::outgoing::{Begun, EmitOptions, Outgoing, State};
use crate::dispatch::turns::{Dispatch, Progress, Turns, first_pass, run_sync};
use crate::emitted::Emitted;
use crate::event::Event;
use crate::failure::discard;
use crate::id::EventId;
use crate::name::check_name;
use crate::registry::Topic;
use crate::tracker::Work;

/// Whether the code that makes a detached emit may wait for its outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Awaited {
    Never,
    Perhaps,
}

/// One emit: a future that resolves when every handler has settled.
///
/// Nothing happens before it is polled. Dropping it cancels the handlers that wait, at their `.await`, starts no more,
/// and is counted (promise B2); a caller that may vanish uses [`detach`](Emit::detach).
#[must_use = "an emit does nothing until it is awaited"]
pub struct Emit<'b, O> {
    bus: &'b EventBus,
    pub(crate) state: State<O>,
}

impl<O> Unpin for Emit<'_, O> {}

impl<'b, O: Outgoing> Emit<'b, O> {
    pub(crate) fn new(bus: &'b EventBus, outgoing: O) -> Self {
        Self { bus, state: State::Ready(outgoing, None) }
    }

    /// How the handlers run beside each other; the default is the bus's.
    pub fn dispatch(self, mode: Dispatch) -> Self {
        self.with(|options| {
            options.mode = Some(mode);
        })
    }

    /// Each handler starts when the one before has finished.
    pub fn sequential(self) -> Self {
        self.dispatch(Dispatch::Sequential)
    }

    /// The event's id, instead of a new one.
    pub fn id(self, id: EventId) -> Self {
        self.with(|options| {
            options.given.id = Some(id);
        })
    }

    /// The correlation id, instead of the inherited one.
    pub fn correlation_id(self, id: EventId) -> Self {
        self.with(|options| {
            options.given.correlation = Some(id);
        })
    }

    /// The id of the event that caused this one, instead of the one whose handler emits it.
    pub fn causation_id(self, id: EventId) -> Self {
        self.with(|options| {
            options.given.causation = Some(id);
        })
    }

    /// Attaches a header.
    pub fn header(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.with(|options| {
            options.given.headers.insert(name.into(), value.into());
        })
    }

    /// Puts the emit in the bus's line, to be started after those before it, and returns at once (promise B15).
    ///
    /// # Errors
    /// What is known to be wrong now: the bus is [closed](EmitError::Closed), the emit is [too
    /// deep](EmitError::TooDeep), there is [no log](EmitError::NoLog) or [no runtime](EmitError::NoRuntime), the name is
    /// not legal.
    pub fn detach(self) -> Result<Detached, EmitError> {
        self.line_up(Awaited::Perhaps)
    }

    pub(crate) fn line_up(self, awaited: Awaited) -> Result<Detached, EmitError> {
        let bus = self.bus.clone();
        let State::Ready(outgoing, options) = self.state else { return Err(EmitError::Closed) };
        outgoing.check(&bus)?;
        let mut options = options.unwrap_or_default();
        let (parent, reach) = options.origin.take().unwrap_or_else(ambient::inherited);
        bus.admit(parent.as_ref(), reach.as_deref())?;
        let runtime = Handle::try_current().map_err(|_| EmitError::NoRuntime)?;
        let inherited = reach.as_deref().cloned().unwrap_or_default();
        let ticket = bus.shared.tracker.ticket(Work::Detached, inherited.epoch).ok_or(EmitError::Closed)?;
        // A queue whose handler nobody keeps waiting is not waited for.
        let queue = inherited.queue.filter(|_| awaited == Awaited::Perhaps);
        let reach = Reach { queue, epoch: Some(ticket.epoch()), ..inherited };
        options.origin = Some((parent, Some(Arc::new(reach))));
        let begin = |bus: EventBus| -> Pin<Box<dyn Future<Output = _> + Send>> {
            Box::pin(async move {
                let emit = Emit { bus: &bus, state: State::Ready(outgoing, Some(options)) };
                emit.await
            })
        };
        Ok(bus.post_later(begin, ticket, runtime))
    }

    fn with(mut self, say: impl FnOnce(&mut EmitOptions)) -> Self {
        if let State::Ready(_, options) = &mut self.state {
            say(options.get_or_insert_default());
        }
        self
    }
}

impl<O: Outgoing> Future for Emit<'_, O> {
    type Output = Result<Emitted, EmitError>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, task: &mut task::Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if let State::Ready(outgoing, options) = &this.state {
            // A durable event is stored here, before anything runs.
            outgoing.check(this.bus)?;
            let sent = this.bus.shared.links.any() && outgoing.leaves();
            if sent {
                // A loop of emits must not starve the task that sends, which may be on the same thread.
                std::task::ready!(poll_proceed(task)).made_progress();
            }
            let Some(heard) = outgoing.heard(this.bus) else {
                if sent {
                    return Poll::Ready(O::send_unheard(&mut this.state, this.bus));
                }
                let admitted = match options {
                    None => this.bus.admit_unheard(),
                    Some(options) => options.admit(this.bus),
                };
                this.state = State::Done;
                return Poll::Ready(admitted.map(|()| Emitted::default()));
            };
            match O::begin(&mut this.state, heard, this.bus, task)? {
                Begun::Done(emitted) => return Poll::Ready(Ok(emitted)),
                Begun::Waiting(rest) => this.state = State::Waiting(rest),
            }
        }
        this.poll_rest(task)
    }
}

impl<O: Outgoing> Emit<'_, O> {
    #[cold]
    fn poll_rest(&mut self, task: &mut task::Context<'_>) -> Poll<Result<Emitted, EmitError>> {
        let State::Waiting(rest) = &mut self.state else { return Poll::Pending };
        let emitted = std::task::ready!(rest.as_mut().poll(task));
        self.state = State::Done;
        Poll::Ready(Ok(emitted))
    }
}

/// The topic of an event that has handlers.
#[doc(hidden)]
pub struct HeardBy<'b, E: Event>(&'b Topic<E>);

impl<E: Event> Outgoing for E {
    type Heard<'b> = HeardBy<'b, E>;

    #[inline]
    fn check(&self, _bus: &EventBus) -> Result<(), EmitError> {
        // The derive refuses such a name; this is for events written by hand. It is decided when the program is compiled.
        match const { check_name(E::NAME) } {
            Err(error) => Err(error.into()),
            Ok(()) if E::DURABLE => Err(EmitError::NoLog),
            Ok(()) => Ok(()),
        }
    }

    #[inline]
    fn heard<'b>(&self, bus: &'b EventBus) -> Option<HeardBy<'b, E>> {
        bus.shared.registry.heard::<E>().map(HeardBy)
    }

    #[inline]
    fn leaves(&self) -> bool {
        !E::LOCAL
    }

    // In a frame of its own: what it holds of the event is not for the frames that stay while handlers run.
    #[cold]
    #[inline(never)]
    fn send_unheard(state: &mut State<E>, bus: &EventBus) -> Result<Emitted, EmitError> {
        let State::Ready(event, options) = mem::replace(state, State::Done) else { return Err(EmitError::Closed) };
        let Entry { pass, .. } = enter(bus, EventName::Static(E::NAME), E::VERSION, options)?;
        let emitted = send_event(bus, &event, &pass.context);
        drop(pass);
        if mem::needs_drop::<E>() {
            discard(event);
        }
        Ok(emitted)
    }

    #[inline]
    fn begin(
        state: &mut State<E>,
        HeardBy(topic): HeardBy<'_, E>,
        bus: &EventBus,
        task: &mut task::Context<'_>,
    ) -> Result<Begun, EmitError> {
        if size_of::<E>() > LARGE {
            return begin_large(state, topic, bus, task);
        }
        begin_small(state, topic, bus, task)
    }
}

/// Apart from [`Outgoing::begin`], whose frame stays while the handlers run: without optimization, this one's holds
/// several copies of the event.
#[inline]
fn begin_small<E: Event>(
    state: &mut State<E>,
    topic: &Topic<E>,
    bus: &EventBus,
    task: &mut task::Context<'_>,
) -> Result<Begun, EmitError> {
    let State::Ready(event, options) = mem::replace(state, State::Done) else { return Err(EmitError::Closed) };
    if options.is_none()
        && bus.is_open()
        && let Some(pass) = ambient::begin_outside(E::NAME, E::VERSION)
    {
        let emitted = send_event(bus, &event, &pass.context);
        return Ok(deliver(topic, event, &pass, bus.shared.dispatch, emitted, task));
    }
    begin_inside(topic, event, bus, options, task)
}

/// Events of more bytes go into their `Arc` before anything else: emits nest, and each level would hold its copies of the
/// event on the stack (promise B8).
const LARGE: usize = 256;

#[inline(never)]
fn begin_large<E: Event>(
    state: &mut State<E>,
    topic: &Topic<E>,
    bus: &EventBus,
    task: &mut task::Context<'_>,
) -> Result<Begun, EmitError> {
    let (event, options) = share(state)?;
    let Entry { pass, mode, scope } = enter(bus, EventName::Static(E::NAME), E::VERSION, options)?;
    let emitted = send_event(bus, &*event, &pass.context);
    let begun = deliver_shared(topic.load(), event, &pass, mode, emitted, task);
    drop(pass);
    drop(scope);
    Ok(begun)
}

type Shared<E> = (Arc<E>, Option<Box<EmitOptions>>);

/// In a frame of its own, which is gone when the handlers run.
#[inline(never)]
fn share<E: Event>(state: &mut State<E>) -> Result<Shared<E>, EmitError> {
    match mem::replace(state, State::Done) {
        State::Ready(event, options) => Ok((Arc::new(event), options)),
        _ => Err(EmitError::Closed),
    }
}

/// The way of an emit that is inside of another, or of which the caller said more.
#[inline(never)]
fn begin_inside<E: Event>(
    topic: &Topic<E>,
    event: E,
    bus: &EventBus,
    options: Option<Box<EmitOptions>>,
    task: &mut task::Context<'_>,
) -> Result<Begun, EmitError> {
    let Entry { pass, mode, scope } = enter(bus, EventName::Static(E::NAME), E::VERSION, options)?;
    let emitted = send_event(bus, &event, &pass.context);
    let begun = deliver(topic, event, &pass, mode, emitted, task);
    drop(pass);
    drop(scope);
    Ok(begun)
}

/// Sends the event to the other nodes, before its handlers here run: what they emit comes after it there too.
#[inline]
fn send_event<E: Event>(bus: &EventBus, event: &E, context: &Context) -> Emitted {
    if E::LOCAL { Emitted::default() } else { bus.shared.links.send(context, |json| event.write(json)) }
}

/// Takes the event through its handlers once.
#[inline]
fn deliver<E: Event>(
    topic: &Topic<E>,
    event: E,
    pass: &Pass,
    mode: Dispatch,
    mut emitted: Emitted,
    task: &mut task::Context<'_>,
) -> Begun {
    let handlers = topic.load();
    if handlers.all_sync {
        run_sync(&handlers, &event, pass, &mut emitted);
        // The event's own drop may panic, and the outcome is there already.
        if mem::needs_drop::<E>() {
            discard(event);
        }
        return Begun::Done(emitted);
    }
    deliver_shared(handlers, Arc::new(event), pass, mode, emitted, task)
}

#[inline]
fn deliver_shared<E: Event>(
    handlers: Guard<Arc<Handlers<Typed<E>>>>,
    event: Arc<E>,
    pass: &Pass,
    mode: Dispatch,
    emitted: Emitted,
    task: &mut task::Context<'_>,
) -> Begun {
    let mut progress = Progress::new(emitted);
    let mut event = Some(event);
    first_pass(&mut progress, &handlers, &mut event, pass, mode, task);
    match progress.finished() {
        Some(emitted) => {
            if mem::needs_drop::<E>() {
                discard(event);
            }
            Begun::Done(emitted)
        }
        None => {
            let context = pass.context.clone();
            Begun::Waiting(Box::pin(Turns::new(Guard::into_inner(handlers), event, context, mode, progress)))
        }
    }
}

/// An emit that the bus has admitted.
pub(crate) struct Entry {
    pub(crate) pass: Pass,
    pub(crate) mode: Dispatch,
    /// Held until the pass is over.
    pub(crate) scope: Option<Scoped>,
}

/// Begins the pass of an event, if the bus admits it.
pub(crate) fn enter(
    bus: &EventBus,
    name: EventName,
    version: u32,
    options: Option<Box<EmitOptions>>,
) -> Result<Entry, EmitError> {
    let (mode, given, origin) = match options {
        None => (None, None, None),
        Some(options) => (options.mode, Some(Box::new(options.given)), options.origin),
    };
    let (parent, reach) = origin.unwrap_or_else(ambient::inherited);
    bus.admit(parent.as_ref(), reach.as_deref())?;
    let context = Context::new(name, version, given, (parent, reach));
    let scope = Scoped::of(&context);
    Ok(Entry { pass: Pass::begin(context), mode: mode.unwrap_or(bus.shared.dispatch), scope })
}

impl<O> fmt::Debug for Emit<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emit").field("started", &!matches!(self.state, State::Ready(..))).finish_non_exhaustive()
    }
}

impl<E: Event> fmt::Debug for HeardBy<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HeardBy({})", E::NAME)
    }
}
