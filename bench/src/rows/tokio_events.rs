//! The crate `tokio-events`: a queue, a task that routes, and a channel and a task for each handler.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;
use tokio_events::bus::EventBusConfig;
use tokio_events::{Error as BusError, Event, EventBus};

use crate::event::Tick;
use crate::failure::Failure;
use crate::subject::{Group, Row, Subject};
use crate::workers::{Workers, runtime};

/// Events in flight in the batch rows: few enough that no queue of the bus fills up and drops.
const BATCH: u64 = 256;

impl Event for Tick {
    fn event_type() -> &'static str {
        "Tick"
    }

    fn serialize_event(&self) -> tokio_events::Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|error| BusError::SerializationError(error.to_string()))
    }

    fn deserialize_event(bytes: &[u8]) -> tokio_events::Result<Self> {
        serde_json::from_slice(bytes).map_err(|error| BusError::SerializationError(error.to_string()))
    }
}

pub(super) fn group() -> Result<Group, Failure> {
    let about = "tokio_events: the crate `tokio-events`, its `high_throughput` preset without the dispatch timeout, \
                 all its tasks on one thread; published one at a time and waited for until every handler has run, \
                 in the batch rows 256 at a time; a copy of the event for each handler, no result.";
    let subjects = [measured("tokio_events", 1, 1), measured("tokio_events", 10, 1)]
        .into_iter()
        .chain([measured("tokio_events_batch", 1, BATCH), measured("tokio_events_batch", 10, BATCH)]);
    Ok(Group { about, subjects: subjects.collect::<Result<_, _>>()? })
}

fn measured(name: &str, handlers: usize, batch: u64) -> Result<Box<dyn Subject>, Failure> {
    // Lives as long as the program, so that the handlers need no count of references.
    let landing: &'static Landing = Box::leak(Box::default());
    let runtime = runtime()?;
    let (bus, subscriptions) = runtime.block_on(async {
        let config =
            EventBusConfig::high_throughput().dispatcher_config(|dispatcher| dispatcher.processing_timeout_ms(0));
        let bus = EventBus::builder().with_config(config).build().await?;
        let mut subscriptions = Vec::new();
        for _ in 0..handlers {
            let handler = move |tick: Tick| async move {
                black_box(tick.n);
                landing.arrive();
            };
            subscriptions.push(bus.subscribe(handler).await?);
        }
        Ok::<_, BusError>((bus, subscriptions))
    })?;
    Ok(Workers::on(runtime, Row::new(format!("{name}_{handlers}"), handlers), async move |times| {
        let _alive = &subscriptions;
        let mut published = 0;
        while published < times {
            let now = batch.min(times - published);
            landing.expect(now * handlers as u64);
            for n in published..published + now {
                let published = bus.publish(Tick { n }).await;
                assert!(published.is_ok());
            }
            landing.all.notified().await;
            published += now;
        }
    }))
}

/// Where the handlers' calls are counted, so that one waits for the last of them with a single wake-up.
#[derive(Default)]
struct Landing {
    missing: AtomicU64,
    all: Notify,
}

impl Landing {
    fn expect(&self, calls: u64) {
        self.missing.store(calls, Ordering::Relaxed);
    }

    fn arrive(&self) {
        if self.missing.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.all.notify_one();
        }
    }
}
