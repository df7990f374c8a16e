//! [`Emit`]: the future of one emit, with what the caller may say about it first.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use arc_swap::Guard;
use tokio::runtime::Handle;

use crate::ambient::{self, Origin, Pass};
use crate::bus::EventBus;
use crate::context::{EventName, Given, Reach};
use crate::dispatch::detached::Detached;
use crate::dispatch::turns::{Dispatch, Turns, first_pass, run_sync};
use crate::emitted::Emitted;
use crate::event::{DecodeError, EncodeError, Event};
use crate::id::EventId;
use crate::name::NameError;
use crate::tracker::Work;

/// Why an event was not emitted. No handler ran.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmitError {
    /// The bus was shut down.
    #[error("the bus is shut down")]
    Closed,
    /// The emit is inside of too many others: a handler causes the event it handles (promise B8).
    #[error("the emit is nested deeper than {limit}")]
    TooDeep {
        /// The bus's limit.
        limit: u32,
    },
    /// The event is durable, and the bus has no log to store it in.
    #[error("the event is durable and the bus has no log")]
    NoLog,
    /// A detached emit was asked for outside of a tokio runtime.
    #[error("a detached emit needs a tokio runtime and there is none")]
    NoRuntime,
    /// The name is not legal (promise B9).
    #[error("the name is not legal")]
    Name(#[from] NameError),
    /// No type that bears the name could be read from the payload (promise B12).
    #[error("the payload cannot be decoded")]
    Decode(#[from] DecodeError),
    /// The payload cannot be written as JSON.
    #[error("the payload cannot be encoded")]
    Encode(#[from] EncodeError),
}

/// What can be emitted: an [`Event`], or [`Json`](crate::Json) with a name.
pub trait Outgoing: Sized + Send + 'static {
    /// Whether it may be emitted on this bus; nothing runs.
    #[doc(hidden)]
    fn check(&self, bus: &EventBus) -> Result<(), EmitError>;

    /// Polls each handler once.
    #[doc(hidden)]
    fn begin(
        self,
        bus: &EventBus,
        options: Option<Box<EmitOptions>>,
        task: &mut task::Context<'_>,
    ) -> Result<Begun, EmitError>;
}

/// An emit after its first pass.
#[doc(hidden)]
pub enum Begun {
    /// All have settled.
    Done(Emitted),
    /// Some wait.
    Waiting(Rest),
}

/// What is left of an emit after its first pass.
type Rest = Pin<Box<dyn Future<Output = Emitted> + Send>>;

/// What the caller said about the emit.
#[doc(hidden)]
#[derive(Default)]
pub struct EmitOptions {
    mode: Option<Dispatch>,
    given: Given,
    origin: Option<Origin>,
}

/// One emit: a future that resolves when every handler has settled.
///
/// Nothing happens before it is polled. Dropping it cancels the handlers that wait, at their `.await`, starts no more,
/// and is counted (promise B2); a caller that may vanish uses [`detach`](Emit::detach).
#[must_use = "an emit does nothing until it is awaited"]
pub struct Emit<'b, O> {
    bus: &'b EventBus,
    pub(crate) outgoing: Option<O>,
    options: Option<Box<EmitOptions>>,
    rest: Option<Rest>,
}

impl<O> Unpin for Emit<'_, O> {}

impl<'b, O: Outgoing> Emit<'b, O> {
    pub(crate) fn new(bus: &'b EventBus, outgoing: O) -> Self {
        Self { bus, outgoing: Some(outgoing), options: None, rest: None }
    }

    /// How the handlers run beside each other; the default is the bus's.
    pub fn dispatch(mut self, mode: Dispatch) -> Self {
        self.options().mode = Some(mode);
        self
    }

    /// Each handler starts when the one before has finished.
    pub fn sequential(self) -> Self {
        self.dispatch(Dispatch::Sequential)
    }

    /// The event's id, instead of a new one.
    pub fn id(mut self, id: EventId) -> Self {
        self.options().given.id = Some(id);
        self
    }

    /// The correlation id, instead of the inherited one.
    pub fn correlation_id(mut self, id: EventId) -> Self {
        self.options().given.correlation = Some(id);
        self
    }

    /// The id of the event that caused this one, instead of the one whose handler emits it.
    pub fn causation_id(mut self, id: EventId) -> Self {
        self.options().given.causation = Some(id);
        self
    }

    /// Attaches a header.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options().given.headers.insert(name.into(), value.into());
        self
    }

    /// Puts the emit in the bus's line, to be started after those before it, and returns at once (promise B15).
    ///
    /// # Errors
    /// What is known to be wrong now: the bus is [closed](EmitError::Closed), the emit is [too
    /// deep](EmitError::TooDeep), there is [no log](EmitError::NoLog) or [no runtime](EmitError::NoRuntime), the name is
    /// not legal.
    pub fn detach(mut self) -> Result<Detached, EmitError> {
        let Some(outgoing) = self.outgoing.take() else { return Err(EmitError::Closed) };
        outgoing.check(self.bus)?;
        let (parent, reach) = self.options().origin.take().unwrap_or_else(ambient::inherited);
        self.bus.admit(parent.as_ref(), reach.as_deref())?;
        let runtime = Handle::try_current().map_err(|_| EmitError::NoRuntime)?;
        let inherited = reach.as_deref().cloned().unwrap_or_default();
        let ticket = self.bus.shared.tracker.ticket(Work::Detached, inherited.epoch);
        // The handler that detaches does not wait for it, so neither does its queue.
        let reach = Reach { queue: None, epoch: Some(ticket.epoch()), ..inherited };
        self.options().origin = Some((parent, Some(Arc::new(reach))));
        let (bus, options) = (self.bus.clone(), self.options.take());
        let emit = async move { Emit { options, ..Emit::new(&bus, outgoing) }.await };
        Ok(self.bus.shared.fifo.post(emit, ticket, runtime))
    }

    fn options(&mut self) -> &mut EmitOptions {
        self.options.get_or_insert_default()
    }
}

impl<O: Outgoing> Future for Emit<'_, O> {
    type Output = Result<Emitted, EmitError>;

    #[inline]
    fn poll(self: Pin<&mut Self>, task: &mut task::Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if let Some(outgoing) = this.outgoing.take() {
            // A durable event is stored here, before anything runs.
            outgoing.check(this.bus)?;
            match outgoing.begin(this.bus, this.options.take(), task)? {
                Begun::Done(emitted) => return Poll::Ready(Ok(emitted)),
                Begun::Waiting(rest) => this.rest = Some(rest),
            }
        }
        let Some(rest) = &mut this.rest else { return Poll::Pending };
        let emitted = std::task::ready!(rest.as_mut().poll(task));
        this.rest = None;
        Poll::Ready(Ok(emitted))
    }
}

impl<E: Event> Outgoing for E {
    #[inline]
    fn check(&self, _bus: &EventBus) -> Result<(), EmitError> {
        if E::DURABLE { Err(EmitError::NoLog) } else { Ok(()) }
    }

    #[inline]
    fn begin(
        self,
        bus: &EventBus,
        options: Option<Box<EmitOptions>>,
        task: &mut task::Context<'_>,
    ) -> Result<Begun, EmitError> {
        let Some(topic) = bus.shared.registry.listened::<E>() else {
            return bus.admit_unheard().map(|()| Begun::Done(Emitted::default()));
        };
        let (mode, pass) = enter(bus, EventName::Static(E::NAME), E::VERSION, options)?;
        let handlers = topic.load();
        if handlers.all_sync {
            return Ok(Begun::Done(run_sync(&handlers, &self, &pass)));
        }
        let event = Arc::new(self);
        Ok(match first_pass(&handlers, &event, &pass, mode, task).finished() {
            Ok(emitted) => Begun::Done(emitted),
            Err(rest) => {
                let context = pass.context.clone();
                Begun::Waiting(Box::pin(Turns::new(Guard::into_inner(handlers), event, context, mode, rest)))
            }
        })
    }
}

/// Begins the pass of an event, if the bus admits it.
#[inline]
pub(crate) fn enter(
    bus: &EventBus,
    name: EventName,
    version: u32,
    options: Option<Box<EmitOptions>>,
) -> Result<(Dispatch, Pass), EmitError> {
    let admit = |parent: Option<&_>, reach: Option<&_>| bus.admit(parent, reach);
    match options {
        None => Ok((bus.shared.dispatch, ambient::begin(name, version, admit)?)),
        Some(options) => {
            let EmitOptions { mode, given, origin } = *options;
            let pass = ambient::begin_with(name, version, Some(Box::new(given)), origin, admit)?;
            Ok((mode.unwrap_or(bus.shared.dispatch), pass))
        }
    }
}

impl<O> fmt::Debug for Emit<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emit").field("started", &self.outgoing.is_none()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Begun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Done(_) => "Done",
            Self::Waiting(_) => "Waiting",
        })
    }
}

impl fmt::Debug for EmitOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmitOptions").field("mode", &self.mode).finish_non_exhaustive()
    }
}
