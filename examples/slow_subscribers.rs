//! What a subscriber may do that is slower than the events: take them later, lose some, or hold up the emit.

#![expect(clippy::print_stdout, reason = "the example shows what happens")]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use oyez::{EmitError, Event, EventBus, Lagged, Overflow};

/// `local`: it never leaves the process, and so needs no serde.
#[derive(Debug, Event)]
#[event(name = "sensor.measured", local)]
struct Measured {
    celsius: f64,
}

async fn store(_: Arc<Measured>) {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

async fn measure(bus: &EventBus, times: u32) -> Result<Duration, EmitError> {
    let started = Instant::now();
    for number in 0..times {
        bus.emit(Measured { celsius: 20.0 + f64::from(number) / 10.0 }).await?;
    }
    Ok(started.elapsed())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = EventBus::new();

    // A handler with a queue runs in a task of its own; the emit is done with it once the event is in the queue.
    bus.subscribe::<Measured>().name("all, later").queued(1024, Overflow::Wait).handle(store);
    // Up to eight at a time. They still start in the order of the emits.
    bus.subscribe::<Measured>().name("eight at a time").queued(1024, Overflow::Wait).concurrency(8).handle(store);
    // A full queue drops the event that waits longest, or the new one, and counts it.
    bus.subscribe::<Measured>().name("the newest").queued(4, Overflow::DropOldest).handle(store);
    bus.subscribe::<Measured>().name("the first").queued(4, Overflow::DropNewest).handle(store);
    // A stream keeps the newest too, and its reader learns how many it lacks.
    let mut stream = bus.stream::<Measured>(8);

    println!("emitted 20 events in {:.1?}; nobody held that up", measure(&bus, 20).await?);
    // Waits until the queues are empty.
    bus.settle().await;
    for listener in bus.listeners() {
        let Some(name) = listener.name else { continue };
        println!("  {name:<15}  handled {:>2}, dropped {:>2}", listener.calls, listener.dropped);
    }
    for _ in 0..3 {
        match stream.next().await {
            Some(Ok(measured)) => println!("  the stream: {:.1} degrees", measured.celsius),
            Some(Err(Lagged(lost))) => println!("  the stream: {lost} events are gone"),
            None => println!("  the stream: the bus is gone"),
        }
    }

    // A small queue that loses nothing makes the emitter as slow as the subscriber.
    bus.remove_all();
    bus.subscribe::<Measured>().queued(2, Overflow::Wait).handle(store);
    println!("emitted 20 events in {:.0?}; the queue held that up", measure(&bus, 20).await?);

    // What still waits is finished, for at most so long.
    let report = bus.shutdown(Duration::from_secs(5)).await;
    println!("finished everything: {}", report.is_clean());
    Ok(())
}
