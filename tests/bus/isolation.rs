//! B3: a handler that fails reaches nobody else.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use oyez::layer::from_fn;
use oyez::{
    AnyEvent, Context, Emitted, Event, EventBus, HandlerError, HandlerErrorKind, Overflow, Subscription, SubscriptionId,
};
use serde::{Deserialize, Serialize};

use crate::faults::Fault;
use crate::flavour::{Flavour, on_each_flavour};
use crate::log_lines::{LogLine, capture, take_lines};

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "isolation.tick")]
struct Tick;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "isolation.in_place")]
struct InPlace;

/// How the handler that fails is subscribed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Exact,
    Sync,
    Pattern,
    PatternSync,
    Timeout,
    Layer,
    Queue,
}

impl Way {
    const ALL: [Self; 7] =
        [Self::Exact, Self::Sync, Self::Pattern, Self::PatternSync, Self::Timeout, Self::Layer, Self::Queue];

    fn takes(self, fault: Fault) -> bool {
        match self {
            Self::Sync | Self::PatternSync => fault.is_sync(),
            Self::Timeout | Self::Queue => true,
            _ => !fault.is_timeout(),
        }
    }

    fn subscribe(self, bus: &EventBus, fault: Fault, calls: &Arc<AtomicUsize>) -> Subscription {
        let called = Arc::clone(calls);
        let call = move || {
            called.fetch_add(1, Ordering::Relaxed);
            fault
        };
        let exact = || bus.subscribe::<Tick>().name("faulty");
        let pattern = || bus.subscribe_pattern("isolation.*").unwrap().name("faulty");
        let limit = Duration::from_millis(1);
        match self {
            Self::Exact => exact().handle(move |_: Arc<Tick>| call().begin()),
            Self::Sync => exact().handle_sync(move |_, _| call().run()),
            Self::Pattern => pattern().handle(move |_: AnyEvent| call().begin()),
            Self::PatternSync => pattern().handle_sync(move |_, _| call().run()),
            Self::Timeout => exact().timeout(limit).handle(move |_: Arc<Tick>| call().begin()),
            Self::Layer => {
                exact().layer(from_fn(|call, next| next.run(call))).handle(move |_: Arc<Tick>| call().begin())
            }
            Self::Queue => {
                let queued = exact().queued(8, Overflow::Wait).timeout(limit);
                queued.handle(move |_: Arc<Tick>, _: Context| call().begin())
            }
        }
    }
}

/// A handler that does nothing but count.
fn count(bus: &EventBus) -> Arc<AtomicUsize> {
    let calls = Arc::new(AtomicUsize::new(0));
    bus.with(Arc::clone(&calls)).on(async |calls: Arc<AtomicUsize>, _: Arc<Tick>| {
        tokio::task::yield_now().await;
        calls.fetch_add(1, Ordering::Relaxed);
    });
    calls
}

fn assert_failed(emitted: &Emitted, id: SubscriptionId, fault: Fault) {
    let [failure] = emitted.failures() else { unreachable!("one failure: {emitted:?}") };
    assert_eq!((failure.subscription(), failure.name()), (id, Some("faulty")));
    assert_eq!(failure.error().kind(), fault.kind());
    assert!(failure.reason().starts_with(fault.reason()), "{}", failure.reason());
}

fn assert_line(line: &LogLine, id: SubscriptionId, fault: Fault) {
    assert_eq!(line.level, tracing::Level::ERROR);
    assert_eq!((line.field("subscription"), line.field("handler")), (id.to_string().as_str(), "faulty"));
    assert!(line.field("error").starts_with(fault.reason()), "{line:?}");
}

/// Every fault, subscribed in every way: three emits, around it handlers that must not notice.
async fn neighbours_run(sequential: bool) {
    for fault in Fault::ALL {
        for way in Way::ALL.into_iter().filter(|way| way.takes(fault)) {
            let (bus, calls) = (EventBus::new(), Arc::new(AtomicUsize::new(0)));
            let before = count(&bus);
            let faulty = way.subscribe(&bus, fault, &calls);
            let after = count(&bus);
            for nth in 1..=3 {
                let emit = bus.emit(Tick);
                let emitted = if sequential { emit.sequential().await } else { emit.await }.unwrap();
                if way == Way::Queue {
                    bus.settle().await;
                    assert_eq!((emitted.delivered(), emitted.failures().len()), (3, 0), "{fault:?}");
                } else {
                    assert_eq!(emitted.delivered(), 2, "{fault:?} {way:?}");
                    assert_failed(&emitted, faulty.id(), fault);
                }
                let ran = [&before, &calls, &after].map(|count| count.load(Ordering::Relaxed));
                assert_eq!(ran, [nth; 3], "{fault:?} {way:?}");
                assert!(faulty.is_on(), "{fault:?} {way:?}");
                let listener = &bus.listeners()[1];
                assert_eq!((listener.calls, listener.failures), (nth as u64, nth as u64), "{fault:?} {way:?}");
                assert!(listener.last_error.as_deref().unwrap().starts_with(fault.reason()));
                // An error whose drop panics is the caller's from here on, and no test of the bus.
                std::mem::forget(emitted);
            }
            // Subscribing and removing still work: no lock was left poisoned.
            bus.on(async |_: Arc<Tick>| ());
            assert!(faulty.off(), "{fault:?} {way:?}");
            assert_eq!(bus.emit(Tick).await.unwrap().delivered(), 3);
        }
    }
}

#[test]
fn b03_a_failing_handler_reaches_nobody_else() {
    on_each_flavour(|_| async {
        neighbours_run(false).await;
        neighbours_run(true).await;
    });
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "isolation.logged")]
struct Logged;

#[test]
fn b03_each_failure_is_logged_once_with_its_names() {
    capture();
    let runtime = Flavour::CurrentThread.runtime();
    for fault in Fault::ALL {
        let bus = EventBus::new();
        let subscribe = bus.subscribe::<Logged>().name("faulty").timeout(Duration::from_millis(1));
        let faulty = subscribe.handle(move |_: Arc<Logged>| fault.begin());
        let queued =
            bus.subscribe::<Logged>().name("faulty").queued(8, Overflow::Wait).timeout(Duration::from_millis(1));
        let queued = queued.handle(move |_: Arc<Logged>| fault.begin());
        bus.on(async |_: Arc<Logged>| ());
        runtime.block_on(async {
            std::mem::forget(bus.emit(Logged).await.unwrap());
            bus.settle().await;
        });
        let lines = take_lines(Logged::NAME);
        assert_eq!(lines.len(), 2, "{fault:?}: {lines:?}");
        for id in [faulty.id(), queued.id()] {
            let line = lines.iter().find(|line| line.field("subscription") == id.to_string());
            assert_line(line.unwrap(), id, fault);
        }
    }
}

#[tokio::test]
async fn b03_a_filter_or_a_layer_that_panics_fails_its_own_handler() {
    let bus = EventBus::new();
    bus.on(async |_: Arc<Tick>| ());
    let filter =
        bus.subscribe::<Tick>().filter(|_| Fault::PanicBeforeTheFirstAwait.run().is_ok()).handle_sync(|_, _| ());
    let layer = from_fn(|_, _| -> std::future::Ready<Result<(), HandlerError>> {
        _ = Fault::PanicBeforeTheFirstAwait.run();
        std::future::ready(Ok(()))
    });
    let layered = bus.subscribe::<Tick>().layer(layer).handle(async |_: Arc<Tick>| ());
    let once = bus.subscribe::<Tick>().once().filter(|_| Fault::PanicBeforeTheFirstAwait.run().is_ok());
    let once = once.handle(async |_: Arc<Tick>| ());
    bus.on(async |_: Arc<Tick>| ());
    for _ in 0..2 {
        let emitted = bus.emit(Tick).await.unwrap();
        assert_eq!(emitted.delivered(), 2);
        let failed: Vec<_> = emitted.failures().iter().map(oyez::Failure::subscription).collect();
        assert_eq!(failed, [filter.id(), layered.id(), once.id()]);
        assert!(emitted.failures().iter().all(|failure| failure.error().kind() == HandlerErrorKind::Panicked));
    }
}

#[test]
fn b03_a_timeout_without_a_runtime_is_a_failure() {
    use futures_util::FutureExt;
    let bus = EventBus::new();
    bus.subscribe::<InPlace>().timeout(Duration::from_secs(1)).handle(async |_: Arc<InPlace>| ());
    bus.subscribe::<InPlace>().queued(1, Overflow::Wait).handle(async |_: Arc<InPlace>| ());
    bus.on(async |_: Arc<InPlace>| ());
    let emitted = bus.emit(InPlace).now_or_never().unwrap().unwrap();
    assert_eq!(emitted.delivered(), 1);
    let kinds: Vec<_> = emitted.failures().iter().map(|failure| failure.error().kind()).collect();
    assert_eq!(kinds, [HandlerErrorKind::NoRuntime; 2]);
}

#[tokio::test]
async fn b03_failures_become_an_error_for_those_who_want_one() {
    let bus = EventBus::new();
    bus.on(async |_: Arc<Tick>| ());
    assert_eq!(bus.emit(Tick).await.unwrap().into_result().unwrap().delivered(), 1);
    let faulty = bus.subscribe::<Tick>().name("crm").handle(|_: Arc<Tick>| Fault::Error.begin());
    let failed = bus.emit(Tick).await.unwrap().into_result().unwrap_err();
    assert_eq!(failed.to_string(), "1 of 2 handlers failed");
    assert_eq!(failed.emitted().failures()[0].subscription(), faulty.id());
    let causes = std::iter::successors(Some(&failed as &dyn std::error::Error), |error| error.source());
    let causes: Vec<_> = causes.map(ToString::to_string).collect();
    assert_eq!(causes[1..], ["handler `crm` (subscription 2) failed", "the handler returned an error", "db down"]);
}

/// An error that is its own cause, for as long as anybody could want to know.
#[derive(Debug)]
struct Circular(AtomicUsize);

impl std::fmt::Display for Circular {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("round and round")
    }
}

impl std::error::Error for Circular {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        (self.0.fetch_add(1, Ordering::Relaxed) < 100_000).then_some(self)
    }
}

#[tokio::test]
async fn b03_an_error_whose_causes_never_end_is_cut_short() {
    let bus = EventBus::new();
    bus.on(async |_: Arc<Tick>| Err(Circular(AtomicUsize::new(0))));
    bus.on(async |_: Arc<Tick>| ());
    let emitted = bus.emit(Tick).await.unwrap();
    assert_eq!((emitted.delivered(), emitted.failures().len()), (1, 1));
    let reason = bus.listeners()[0].last_error.clone().unwrap();
    assert!(reason.starts_with("the handler returned an error: round and round"));
    assert!(reason.len() < 10_000, "{} bytes", reason.len());
}
