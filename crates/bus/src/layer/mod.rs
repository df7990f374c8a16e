//! [`Layer`]: code around every handler call (promise B16).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::any_event::AnyEvent;
use crate::context::Context;
use crate::dispatch::{HandlerFuture, HandlerResult, Quietly, Record};
use crate::id::SubscriptionId;

mod trace;

pub use trace::trace;

/// What stands around handler calls: a span, a retry, a metric.
///
/// Layers of the bus are outside of those of a subscription, and each in the order of its adding; the timeout is
/// inside of them all, so a layer that retries gives each try the full time. A handler's panic arrives as an error.
pub trait Layer: Send + Sync + 'static {
    /// Handles `call`, usually by running `next`: not at all, once, or, with a clone, more often.
    fn call(&self, call: Call, next: Next) -> Pin<Box<dyn Future<Output = HandlerResult> + Send>>;
}

/// A layer that is kept elsewhere too, to read what it has counted.
impl<L: Layer + ?Sized> Layer for Arc<L> {
    fn call(&self, call: Call, next: Next) -> Pin<Box<dyn Future<Output = HandlerResult> + Send>> {
        (**self).call(call, next)
    }
}

/// A layer from an async function.
///
/// ```
/// use oyez_bus::{EventBus, layer::from_fn};
///
/// let bus = EventBus::new();
/// bus.layer(from_fn(|call, next| async move {
///     let result = next.run(call.clone()).await;
///     tracing::debug!(event = call.event().name(), ok = result.is_ok());
///     result
/// }));
/// ```
pub fn from_fn<F, Fut>(function: F) -> impl Layer
where
    F: Fn(Call, Next) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = HandlerResult> + Send + 'static,
{
    FromFn(function)
}

struct FromFn<F>(F);

impl<F, Fut> Layer for FromFn<F>
where
    F: Fn(Call, Next) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = HandlerResult> + Send + 'static,
{
    fn call(&self, call: Call, next: Next) -> Pin<Box<dyn Future<Output = HandlerResult> + Send>> {
        Box::pin(self.0(call, next))
    }
}

pub(crate) type Layers = Arc<[Arc<dyn Layer>]>;

/// A layer that may panic when it is dropped.
pub(crate) fn quiet(layer: impl Layer) -> Arc<dyn Layer> {
    Arc::new(Quietly::new(layer))
}

impl<L: Layer> Layer for Quietly<L> {
    fn call(&self, call: Call, next: Next) -> Pin<Box<dyn Future<Output = HandlerResult> + Send>> {
        match self.get() {
            Some(layer) => layer.call(call, next),
            None => Box::pin(next.run(call)),
        }
    }
}

/// The layers of a bus, which its queues still see when the bus is gone.
#[derive(Default)]
pub(crate) struct LayerStack(Mutex<Layers>);

impl LayerStack {
    pub(crate) fn get(&self) -> Layers {
        Arc::clone(&self.lock())
    }

    /// Adds a layer inside of the others, and returns them all.
    pub(crate) fn push(&self, layer: Arc<dyn Layer>) -> Layers {
        let mut layers = self.lock();
        let more: Layers = layers.iter().cloned().chain([layer]).collect();
        // The old list shares its layers with the new one, so dropping it here drops none of them.
        *layers = Arc::clone(&more);
        more
    }

    fn lock(&self) -> MutexGuard<'_, Layers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The call that a layer stands around.
#[derive(Debug, Clone)]
pub struct Call {
    event: AnyEvent,
    context: Context,
    record: Arc<Record>,
}

impl Call {
    pub(crate) fn new(event: AnyEvent, context: Context, record: &Arc<Record>) -> Self {
        Self { event, context, record: Arc::clone(record) }
    }

    /// The event.
    #[must_use]
    pub fn event(&self) -> &AnyEvent {
        &self.event
    }

    /// What is known about the event.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The subscription whose handler is to be called.
    #[must_use]
    pub fn subscription(&self) -> SubscriptionId {
        self.record.id
    }

    /// The name that the subscription was given.
    #[must_use]
    pub fn handler(&self) -> Option<&str> {
        self.record.name.as_deref()
    }
}

/// The rest of the layers, and the handler at their end. A clone runs them once more.
#[derive(Clone)]
pub struct Next {
    layers: Layers,
    at: usize,
    handler: Arc<dyn Fn() -> HandlerFuture + Send + Sync>,
}

impl Next {
    pub(crate) fn new(layers: Layers, handler: Arc<dyn Fn() -> HandlerFuture + Send + Sync>) -> Self {
        Self { layers, at: 0, handler }
    }

    /// Runs the next layer, or the handler.
    ///
    /// # Errors
    /// The handler failed, or a layer decided so.
    pub async fn run(mut self, call: Call) -> HandlerResult {
        match self.layers.get(self.at).cloned() {
            None => (self.handler)().await,
            Some(layer) => {
                self.at += 1;
                layer.call(call, self).await
            }
        }
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").field("layers_left", &(self.layers.len() - self.at)).finish_non_exhaustive()
    }
}
