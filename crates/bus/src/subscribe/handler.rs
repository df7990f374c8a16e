//! [`Handler`]: the shapes that an async handler may have.

use std::future::Future;
use std::sync::Arc;

use crate::context::Context;
use crate::dispatch::HandlerResult;
use crate::failure::{BoxError, HandlerError};

/// An async function of an event, and of its [`Context`] if it wants one.
///
/// ```
/// # use std::sync::Arc;
/// # use oyez_bus::{AnyEvent, Context};
/// # struct UserCreated;
/// async fn one(event: Arc<UserCreated>) {}
/// async fn two(event: Arc<UserCreated>, context: Context) -> Result<(), std::io::Error> { Ok(()) }
/// let any = |event: AnyEvent| async move { println!("{}", event.name()) };
/// ```
///
/// The last handler of an emit gets the event itself and those before it a clone of the `Arc`, so that a sole handler may
/// take the event out with [`Arc::into_inner`].
///
/// `M` is the shape; the compiler finds it.
#[diagnostic::on_unimplemented(
    message = "this is not a handler of events",
    label = "not a handler",
    note = "a handler is an async function or closure: `async |event: Arc<MyEvent>| ..`, with `context: Context` as second argument if it wants one",
    note = "the event is `Arc<MyEvent>`; of a pattern it is `AnyEvent`, of an event map the map",
    note = "its future must be `Send` and give `()` or a `Result<(), impl Into<BoxError>>`, where `BoxError` is `Box<dyn Error + Send + Sync>`",
    note = "what a handler needs from outside is handed over with `bus.with(state).on(..)`, or cloned into the closure"
)]
pub trait Handler<P, M>: Send + Sync + 'static {
    /// The call's future.
    type Future: Future<Output: Outcome> + Send + 'static;

    /// Begins a call.
    fn call(&self, event: P, context: &Context) -> Self::Future;
}

impl<P, F> Handler<P, fn(P)> for F
where
    F: Call<(P,), Future: Future<Output: Outcome> + Send + 'static> + Send + Sync + 'static,
{
    type Future = F::Future;

    #[inline]
    fn call(&self, event: P, _context: &Context) -> F::Future {
        self.call_with((event,))
    }
}

impl<P, F> Handler<P, fn(P, Context)> for F
where
    F: Call<(P, Context), Future: Future<Output: Outcome> + Send + 'static> + Send + Sync + 'static,
{
    type Future = F::Future;

    #[inline]
    fn call(&self, event: P, context: &Context) -> F::Future {
        self.call_with((event, context.clone()))
    }
}

/// An async function of a state, an event, and of its [`Context`] if it wants one; see
/// [`EventBus::with`](crate::EventBus::with).
#[diagnostic::on_unimplemented(
    message = "this is not a handler with state",
    label = "not a handler with state",
    note = "a handler with state is an async function or closure: `async |state: Arc<MyState>, event: Arc<MyEvent>| ..`, with `context: Context` as third argument if it wants one",
    note = "its future must be `Send` and give `()` or a `Result<(), impl Into<BoxError>>`"
)]
pub trait HandlerWith<S: ?Sized, P, M>: Send + Sync + 'static {
    /// The call's future.
    type Future: Future<Output: Outcome> + Send + 'static;

    /// Begins a call.
    fn call(&self, state: Arc<S>, event: P, context: &Context) -> Self::Future;
}

impl<S, P, F> HandlerWith<S, P, fn(Arc<S>, P)> for F
where
    S: ?Sized,
    F: Call<(Arc<S>, P), Future: Future<Output: Outcome> + Send + 'static> + Send + Sync + 'static,
{
    type Future = F::Future;

    #[inline]
    fn call(&self, state: Arc<S>, event: P, _context: &Context) -> F::Future {
        self.call_with((state, event))
    }
}

impl<S, P, F> HandlerWith<S, P, fn(Arc<S>, P, Context)> for F
where
    S: ?Sized,
    F: Call<(Arc<S>, P, Context), Future: Future<Output: Outcome> + Send + 'static> + Send + Sync + 'static,
{
    type Future = F::Future;

    #[inline]
    fn call(&self, state: Arc<S>, event: P, context: &Context) -> F::Future {
        self.call_with((state, event, context.clone()))
    }
}

/// A function of these arguments. It stands between a handler and `Fn`, so that a closure which is no `Fn`, such as an
/// async one that captures, is told what a handler is.
#[doc(hidden)]
pub trait Call<A> {
    type Future;

    fn call_with(&self, arguments: A) -> Self::Future;
}

macro_rules! call {
    ($($argument:ident: $A:ident),*) => {
        #[diagnostic::do_not_recommend]
        impl<F, Fut, $($A),*> Call<($($A,)*)> for F
        where
            F: Fn($($A),*) -> Fut,
        {
            type Future = Fut;

            #[inline]
            fn call_with(&self, ($($argument,)*): ($($A,)*)) -> Fut {
                self($($argument),*)
            }
        }
    };
}

call!(a: A);
call!(a: A, b: B);
call!(a: A, b: B, c: C);

/// What a handler may return: `()`, or a `Result<(), E>` whose error becomes a
/// [`Failure`](crate::Failure) (promise B3).
#[diagnostic::on_unimplemented(
    message = "a handler returns `()` or `Result<(), impl Into<BoxError>>`, not `{Self}`",
    label = "not what a handler returns"
)]
pub trait Outcome: sealed::Sealed {
    #[doc(hidden)]
    fn into_result(self) -> HandlerResult;
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for () {}

    impl<E: Into<crate::BoxError>> Sealed for Result<(), E> {}
}

impl Outcome for () {
    #[inline]
    fn into_result(self) -> HandlerResult {
        Ok(())
    }
}

impl<E: Into<BoxError>> Outcome for Result<(), E> {
    #[inline]
    fn into_result(self) -> HandlerResult {
        self.map_err(HandlerError::failed)
    }
}
