//! Which names a pattern stands for, and events that no type of the program knows.

#![expect(clippy::print_stdout, reason = "the example shows what happens")]

use std::error::Error;
use std::sync::Arc;

use oyez::{AnyEvent, Event, EventBus, Pattern};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "order.paid")]
struct OrderPaid {
    order: u64,
    cents: u64,
}

/// A pattern's handler asks for the types it knows, and reads the rest as JSON.
async fn describe(event: AnyEvent) {
    if let Some(paid) = event.downcast::<OrderPaid>() {
        println!("  describe: order {} was paid with {} cents", paid.order, paid.cents);
    } else if let Some(json) = event.json() {
        println!("  describe: {} with {json}", event.name());
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = EventBus::new();

    // `*` as a segment is exactly one segment, `**` at the end one or more, and `*` alone every name.
    for pattern in ["*", "order.*", "order.**", "*.paid", "order.paid"] {
        bus.on_pattern(pattern, move |event: AnyEvent| async move {
            println!("  {pattern} hears {}", event.name());
        })?;
    }
    // Exact subscriptions take their turn among those of patterns, in the order in which all of them were made.
    bus.on(async |paid: Arc<OrderPaid>| println!("  OrderPaid hears order {}", paid.order));
    // A pattern has all the options of a type.
    bus.subscribe_pattern("order.**")?.once().name("describe").handle(describe);

    println!("a typed event");
    bus.emit(OrderPaid { order: 7, cents: 1250 }).await?;

    println!("a name without a type: patterns hear it");
    bus.on_pattern("order.**", describe)?;
    bus.emit_json("order.eu.refunded", json!({ "order": 7 })).await?;

    println!("the name of a type, as JSON: the type's handlers get it decoded");
    bus.emit_json("order.paid", json!({ "order": 8, "cents": 300 })).await?;

    println!("a payload that the type cannot be read from: an error, and no handler runs");
    if let Err(error) = bus.emit_json("order.paid", json!({ "order": "seven" })).await {
        println!("  {}", with_causes(&error));
    }

    println!("what is no pattern");
    for text in ["order..paid", "us*r.created", "**.paid", "order paid"] {
        if let Err(error) = text.parse::<Pattern>() {
            println!("  {text}: {}", with_causes(&error));
        }
    }
    println!("an `order.paid` is heard by {} handlers", bus.listener_count_of("order.paid"));
    Ok(())
}

fn with_causes(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
