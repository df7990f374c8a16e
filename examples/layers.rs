//! Code around handler calls: a retry for one handler, a `tracing` span and a count for all.

#![expect(clippy::print_stdout, reason = "the example shows what happens")]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use oyez::layer::{self, Layer, from_fn};
use oyez::{BoxError, Event, EventBus};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "order.paid")]
struct OrderPaid {
    order: u64,
}

/// Calls a handler again when it fails, `times` in all, with a pause that doubles.
fn retry(times: u32) -> impl Layer {
    from_fn(move |call, next| async move {
        let mut pause = Duration::from_millis(10);
        for attempt in 1..times {
            match next.clone().run(call.clone()).await {
                Ok(()) => return Ok(()),
                Err(error) => tracing::warn!(attempt, "{}", error.reason()),
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        next.run(call).await
    })
}

/// A service that refuses the first two calls.
#[derive(Default)]
struct Printer {
    calls: AtomicU32,
}

impl Printer {
    async fn print(self: Arc<Self>, paid: Arc<OrderPaid>) -> Result<(), BoxError> {
        if self.calls.fetch_add(1, Ordering::Relaxed) < 2 {
            return Err("out of paper".into());
        }
        tracing::info!("invoice for order {}", paid.order);
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().without_time().with_target(false).with_ansi(false).init();
    let bus = EventBus::new();
    let calls = Arc::new(AtomicU32::new(0));

    // The bus's layers are outside, in the order of their adding: the span is around the count.
    bus.layer(layer::trace());
    let counted = Arc::clone(&calls);
    bus.layer(from_fn(move |call, next| {
        counted.fetch_add(1, Ordering::Relaxed);
        next.run(call)
    }));
    // A subscription's own are inside of them: three tries are one call for the count.
    bus.subscribe::<OrderPaid>().name("invoice").layer(retry(3)).handle_with(Printer::default(), Printer::print);

    let emitted = bus.emit(OrderPaid { order: 7 }).await?;
    println!("delivered {}, failed {}", emitted.delivered(), emitted.failures().len());
    println!("calls of a handler: {}", calls.load(Ordering::Relaxed));
    Ok(())
}
