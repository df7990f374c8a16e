//! [`Theirs`]: a bus that hears what other programs write.

use std::sync::Arc;
use std::time::SystemTime;

use oyez::transport::Transport;
use oyez::{Context, EventBus, Link, Source};
use tokio::sync::mpsc;

use crate::OrderPaid;

/// A node with a typed handler.
pub(crate) struct Theirs {
    link: Link,
    heard: mpsc::UnboundedReceiver<Heard>,
    _bus: EventBus,
}

/// What the handler got.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) event: OrderPaid,
    pub(crate) id: String,
    pub(crate) source: Source,
    pub(crate) time: SystemTime,
    pub(crate) correlation: String,
    pub(crate) traceparent: Option<String>,
}

impl Theirs {
    pub(crate) async fn on(transport: impl Transport) -> Self {
        let bus = EventBus::new();
        let (hear, heard) = mpsc::unbounded_channel();
        let link = bus.attach(transport).await.expect("the server runs");
        bus.with(hear).on(async |hear: Arc<mpsc::UnboundedSender<Heard>>, event: Arc<OrderPaid>, context: Context| {
            _ = hear.send(Heard {
                event: (*event).clone(),
                id: context.id().to_string(),
                source: context.source(),
                time: context.time(),
                correlation: context.correlation_id().to_string(),
                traceparent: context.headers().get("traceparent").cloned(),
            });
        });
        Self { link, heard, _bus: bus }
    }

    /// The next event, and none of what came before it was rejected.
    pub(crate) async fn next(&mut self) -> Heard {
        let heard = self.heard.recv().await.expect("the bus is there");
        assert_eq!(self.link.status().rejected, 0);
        heard
    }
}

/// A source outside of oyez.
pub(crate) fn remote(source: &str) -> Source {
    Source::Remote { origin: source.into() }
}
