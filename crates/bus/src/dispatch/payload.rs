//! [`Payload`]: the two forms in which handlers get an event, `Arc<E>` and [`AnyEvent`].

use std::sync::Arc;

use crate::any_event::AnyEvent;
use crate::event::Event;

/// A form of the event that is cheap to clone, one clone for each handler: `Arc<E>` or [`AnyEvent`]. There is no other.
pub trait Payload: sealed::Sealed + Clone + Send + Sync + 'static {
    /// What synchronous handlers and filters see by reference.
    type Target: Send + Sync;

    #[doc(hidden)]
    fn target(&self) -> &Self::Target;

    #[doc(hidden)]
    fn any(&self) -> AnyEvent;

    /// This form of an event that came untyped; `None` if it is of another type.
    #[doc(hidden)]
    fn from_any(event: &AnyEvent) -> Option<Self>;
}

mod sealed {
    pub trait Sealed {}

    impl<E: crate::Event> Sealed for std::sync::Arc<E> {}

    impl Sealed for crate::AnyEvent {}
}

/// How a turn comes by the event: a handler takes a clone, and the last of a list the event itself. What is not taken
/// stays with the emit.
pub(crate) enum Handed<'a, P> {
    Lent(&'a Option<P>),
    Given(&'a mut Option<P>),
}

impl<P: Clone> Handed<'_, P> {
    #[inline]
    pub(crate) fn peek(&self) -> Option<&P> {
        match self {
            Self::Lent(event) => event.as_ref(),
            Self::Given(event) => event.as_ref(),
        }
    }

    #[inline]
    pub(crate) fn take(self) -> Option<P> {
        match self {
            Self::Lent(event) => event.clone(),
            Self::Given(event) => event.take(),
        }
    }
}

impl<E: Event> Payload for Arc<E> {
    type Target = E;

    fn target(&self) -> &E {
        self
    }

    fn any(&self) -> AnyEvent {
        AnyEvent::typed(self)
    }

    fn from_any(event: &AnyEvent) -> Option<Self> {
        event.decoded()
    }
}

impl Payload for AnyEvent {
    type Target = Self;

    fn target(&self) -> &Self {
        self
    }

    fn any(&self) -> AnyEvent {
        self.clone()
    }

    fn from_any(event: &AnyEvent) -> Option<Self> {
        Some(event.clone())
    }
}
