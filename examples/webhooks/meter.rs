//! [`Meter`]: a layer that times every handler call and keeps what failed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hdrhistogram::{CreationError, Histogram};
use oyez::layer::{Call, from_fn};
use oyez::{EventBus, HandlerError, SubscriptionId};

pub struct Meter {
    counts: Mutex<Counts>,
    empty: Histogram<u64>,
}

#[derive(Default)]
struct Counts {
    events: BTreeMap<String, Calls>,
    handlers: BTreeMap<SubscriptionId, Calls>,
    failures: BTreeMap<(String, String), Failures>,
}

/// Handler calls that were counted together.
#[derive(Clone)]
pub struct Calls {
    pub delivered: u64,
    pub failed: u64,
    nanoseconds: Histogram<u64>,
}

/// How often a handler failed for one reason, and with what line of the input it began.
#[derive(Clone, Default)]
pub struct Failures {
    pub times: u64,
    pub first_line: Option<String>,
}

impl Meter {
    /// A meter around every handler call of `bus`, those of handlers with a queue too: these fail after the emit that
    /// they belong to, so that no `Emitted` lists them.
    pub fn around_all(bus: &EventBus) -> Result<Arc<Self>, CreationError> {
        let meter = Arc::new(Self { counts: Mutex::default(), empty: Histogram::new(2)? });
        let this = Arc::clone(&meter);
        bus.layer(from_fn(move |call, next| {
            let meter = Arc::clone(&this);
            async move {
                let started = Instant::now();
                let result = next.run(call.clone()).await;
                meter.record(&call, started.elapsed(), result.as_ref().err());
                result
            }
        }));
        Ok(meter)
    }

    fn record(&self, call: &Call, took: Duration, error: Option<&HandlerError>) {
        let mut counts = self.counts();
        let none = || Calls { delivered: 0, failed: 0, nanoseconds: self.empty.clone() };
        counts.events.entry(call.event().name().to_owned()).or_insert_with(none).add(took, error.is_none());
        counts.handlers.entry(call.subscription()).or_insert_with(none).add(took, error.is_none());
        if let Some(error) = error {
            let handler = call.handler().unwrap_or("without a name").to_owned();
            let failures = counts.failures.entry((handler, error.reason())).or_default();
            failures.times += 1;
            if failures.first_line.is_none() {
                failures.first_line = call.context().headers().get("line").cloned();
            }
        }
    }

    /// The calls by event, in the order of the names.
    pub fn events(&self) -> BTreeMap<String, Calls> {
        self.counts().events.clone()
    }

    /// The calls of one handler.
    pub fn handler(&self, subscription: SubscriptionId) -> Option<Calls> {
        self.counts().handlers.get(&subscription).cloned()
    }

    /// The failures by handler and reason.
    pub fn failures(&self) -> BTreeMap<(String, String), Failures> {
        self.counts().failures.clone()
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Calls {
    fn add(&mut self, took: Duration, delivered: bool) {
        if delivered {
            self.delivered += 1;
        } else {
            self.failed += 1;
        }
        // The histogram grows as it must, up to times of centuries.
        _ = self.nanoseconds.record(took.as_nanos().try_into().unwrap_or(u64::MAX));
    }

    /// The time within which this share of the calls was over.
    pub fn within(&self, share: f64) -> Duration {
        Duration::from_nanos(self.nanoseconds.value_at_quantile(share))
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &Self) {
        self.delivered += other.delivered;
        self.failed += other.failed;
        self.nanoseconds += &other.nanoseconds;
    }
}
