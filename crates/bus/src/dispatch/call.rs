//! One call of a handler with all that stands around it: layers outside, then the timeout, then the handler.

use std::sync::Arc;

use tokio::runtime::Handle;

use crate::context::Context;
use crate::dispatch::isolate::{HandlerFuture, HandlerResult, Quiet, isolated};
use crate::dispatch::payload::Payload;
use crate::dispatch::subscriber::Subscriber;
use crate::failure::{HandlerError, HandlerErrorKind};
use crate::layer::{Call, Layers, Next};

/// The call of `subscriber`'s handler through the bus's layers, its own layers and its timeout.
pub(crate) fn layered<P: Payload>(
    subscriber: &Arc<Subscriber<P>>,
    event: P,
    context: Context,
    bus_layers: &Layers,
) -> HandlerFuture {
    if bus_layers.is_empty() && subscriber.layers.is_empty() {
        return innermost(Arc::clone(subscriber), event, context);
    }
    let call = Call::new(event.any(), context.clone(), &subscriber.record);
    let layers: Layers = bus_layers.iter().chain(subscriber.layers.iter()).cloned().collect();
    let subscriber = Arc::clone(subscriber);
    let handler = move || innermost(Arc::clone(&subscriber), event.clone(), context.clone());
    Box::pin(Next::new(layers, Arc::new(handler)).run(call))
}

/// The handler with its timeout. Its panics end here, so that layers see them as errors.
fn innermost<P: Payload>(subscriber: Arc<Subscriber<P>>, event: P, context: Context) -> HandlerFuture {
    Box::pin(async move {
        let handler = isolated(|| subscriber.future(event, &context)).map(Quiet::new);
        match subscriber.timeout {
            None => handler?.await,
            Some(_) if Handle::try_current().is_err() => Err(HandlerError::bare(HandlerErrorKind::NoRuntime)),
            Some(limit) => tokio::time::timeout(limit, handler?).await.unwrap_or_else(|_| timed_out()),
        }
    })
}

fn timed_out() -> HandlerResult {
    Err(HandlerError::bare(HandlerErrorKind::TimedOut))
}
