//! [`trace`]: a `tracing` span for each handler call.

use tracing::Instrument;
use tracing::field::Empty;

use crate::layer::{Layer, from_fn};

/// A layer that runs each handler call in a `tracing` span named `handler`, with the event's name, id and depth, the
/// subscription's id and name, and `failed` if it failed. The payload is not in it.
///
/// ```
/// use oyez_bus::{EventBus, layer};
///
/// EventBus::new().layer(layer::trace());
/// ```
pub fn trace() -> impl Layer {
    from_fn(|call, next| {
        let span = tracing::info_span!(
            target: "oyez",
            "handler",
            event = call.event().name(),
            id = %call.context().id(),
            depth = call.context().depth(),
            subscription = %call.subscription(),
            handler = call.handler().unwrap_or_default(),
            failed = Empty,
        );
        let entered = span.clone();
        async move {
            let result = next.run(call).await;
            if let Err(error) = &result {
                span.record("failed", tracing::field::display(error));
            }
            result
        }
        .instrument(entered)
    })
}
