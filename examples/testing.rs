//! How to test code that emits: a bus of its own for each test, a recorder, and waiting until all is done.
//!
//! The functions at the end would be `#[tokio::test]`s; here `main` calls them.

#![expect(clippy::print_stdout, reason = "the example shows what happens")]

use std::error::Error;
use std::sync::Arc;

use oyez::testing::Recorder;
use oyez::{BoxError, Event, EventBus, Failure};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "order.placed")]
struct OrderPlaced {
    order: u64,
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "invoice.sent")]
struct InvoiceSent {
    order: u64,
}

/// The code under test. It uses the global bus, as most programs do.
fn subscribe() {
    oyez::on(async |placed: Arc<OrderPlaced>| -> Result<(), BoxError> {
        if placed.order == 0 {
            return Err("an order has the number 0".into());
        }
        // Nobody waits for this one.
        oyez::emit_detached(InvoiceSent { order: placed.order })?;
        Ok(())
    });
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // In a scope `EventBus::global()` is that scope's bus, so tests can run beside each other.
    let (placed, refused) = tokio::join!(
        EventBus::scope(EventBus::new(), an_invoice_follows_an_order()),
        EventBus::scope(EventBus::new(), order_zero_is_refused()),
    );
    placed.and(refused)
}

async fn an_invoice_follows_an_order() -> Result<(), Box<dyn Error>> {
    let bus = EventBus::global();
    let recorder = Recorder::new(&bus);
    subscribe();

    oyez::emit(OrderPlaced { order: 7 }).await?.into_result()?;
    bus.settle().await;

    recorder.assert_names(&["order.placed", "invoice.sent"]);
    let sent = recorder.assert_emitted::<InvoiceSent>(|sent| sent.order == 7);
    println!("recorded {:?} and {sent:?}", recorder.names());
    Ok(())
}

async fn order_zero_is_refused() -> Result<(), Box<dyn Error>> {
    let bus = EventBus::global();
    let recorder = Recorder::new(&bus);
    subscribe();

    let emitted = oyez::emit(OrderPlaced { order: 0 }).await?;
    bus.settle().await;

    assert_eq!(emitted.failures().len(), 1);
    recorder.assert_not_emitted::<InvoiceSent>();
    println!("refused: {:?}", emitted.failures().iter().map(Failure::reason).collect::<Vec<_>>());
    Ok(())
}
