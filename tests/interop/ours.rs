//! [`Ours`]: frames as our bus writes them.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use futures_util::StreamExt;
use oyez::transport::memory::Broker;
use oyez::transport::{Received, Transport};
use oyez::{Context, EventBus, EventId};

use crate::{OrderPaid, PREFIX};

/// Two frames on the wire, and what the handlers of the sending bus knew of their events: a plain event, and one that its
/// handler emitted in turn, with headers.
pub(crate) struct Ours {
    pub(crate) instance: String,
    pub(crate) frames: Vec<Vec<u8>>,
    pub(crate) known: Vec<Known>,
}

/// What a handler knew of an event.
pub(crate) struct Known {
    pub(crate) id: EventId,
    pub(crate) time: SystemTime,
    pub(crate) correlation: EventId,
    pub(crate) causation: Option<EventId>,
    pub(crate) event: OrderPaid,
}

pub(crate) const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// Emits the two, and takes their frames from the wire.
pub(crate) async fn emitted() -> Ours {
    let broker = Broker::new();
    let wire = broker.connect(PREFIX);
    let mut arriving = wire.subscribe().await.expect("the broker runs");
    let bus = EventBus::new();
    let link = bus.attach(broker.connect(PREFIX)).await.expect("the broker runs");
    let known = Arc::new(Mutex::new(Vec::new()));
    let noting = Arc::clone(&known);
    bus.on_sync(move |event: &OrderPaid, context: &Context| {
        noting.lock().expect("no handler panicked").push(Known {
            id: context.id().clone(),
            time: context.time(),
            correlation: context.correlation_id().clone(),
            causation: context.causation_id().cloned(),
            event: event.clone(),
        });
    });
    let again = bus.downgrade();
    bus.with(again).on(async |again: Arc<oyez::WeakEventBus>, first: Arc<OrderPaid>| {
        if let Some(bus) = again.upgrade().filter(|_| first.order == 1) {
            let second = OrderPaid { order: 2, note: "\u{1F980} \"quoted\" \\ \u{0}".into() };
            let emit = bus.emit(second).header("traceparent", TRACE).header("tenant", "acme \"&\" co");
            emit.await.expect("the bus is open");
        }
    });
    let first = OrderPaid { order: 1, note: "plain".into() };
    bus.emit(first).await.expect("the bus is open");
    let mut frames = Vec::new();
    while frames.len() < 2 {
        match arriving.next().await.expect("the broker runs") {
            Received::Frame { payload, .. } => frames.push(payload.to_vec()),
            Received::Down | Received::Up => panic!("the broker runs"),
        }
    }
    drop(link);
    let known = std::mem::take(&mut *known.lock().expect("no handler panicked"));
    Ours { instance: bus.instance().to_owned(), frames, known }
}
