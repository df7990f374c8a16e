//! [`Outgoing`]: what can be emitted, and how far its emit has come.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task;

use crate::ambient::Origin;
use crate::bus::EventBus;
use crate::context::Given;
use crate::dispatch::emit_error::EmitError;
use crate::dispatch::turns::Dispatch;
use crate::emitted::Emitted;

/// What can be emitted: an [`Event`](crate::Event), or [`Json`](crate::Json) with a name. Nothing else is.
pub trait Outgoing: sealed::Sealed + Sized + Send + 'static {
    /// Where its handlers are.
    #[doc(hidden)]
    type Heard<'b>;

    /// Whether it may be emitted on this bus; nothing runs.
    #[doc(hidden)]
    fn check(&self, bus: &EventBus) -> Result<(), EmitError>;

    /// Who hears it, if anybody does. It is asked before the event is moved: most of what an emit that nobody hears
    /// would cost is that move.
    #[doc(hidden)]
    fn heard<'b>(&self, bus: &'b EventBus) -> Option<Self::Heard<'b>>;

    /// Whether it may leave the process.
    #[doc(hidden)]
    fn leaves(&self) -> bool;

    /// Sends an event that nobody hears here to the other nodes.
    #[doc(hidden)]
    fn send_unheard(state: &mut State<Self>, bus: &EventBus) -> Result<Emitted, EmitError>;

    /// Sends it to the other nodes, and polls each handler here once.
    #[doc(hidden)]
    fn begin(
        state: &mut State<Self>,
        heard: Self::Heard<'_>,
        bus: &EventBus,
        task: &mut task::Context<'_>,
    ) -> Result<Begun, EmitError>;
}

mod sealed {
    pub trait Sealed {}

    impl<E: crate::Event> Sealed for E {}

    impl Sealed for crate::Json {}
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
pub(super) type Rest = Pin<Box<dyn Future<Output = Emitted> + Send>>;

/// What the caller said about the emit.
#[doc(hidden)]
#[derive(Default)]
pub struct EmitOptions {
    pub(super) mode: Option<Dispatch>,
    pub(super) given: Given,
    pub(super) origin: Option<Origin>,
}

impl EmitOptions {
    /// Whether the bus admits an emit that nobody hears.
    #[cold]
    pub(super) fn admit(&self, bus: &EventBus) -> Result<(), EmitError> {
        match &self.origin {
            Some((parent, reach)) => bus.admit(parent.as_ref(), reach.as_deref()),
            None => bus.admit_unheard(),
        }
    }
}

#[doc(hidden)]
pub enum State<O> {
    /// Not polled yet.
    Ready(O, Option<Box<EmitOptions>>),
    /// Handlers wait.
    Waiting(Rest),
    /// It has resolved.
    Done,
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

impl<O> fmt::Debug for State<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ready(..) => "Ready",
            Self::Waiting(_) => "Waiting",
            Self::Done => "Done",
        })
    }
}
