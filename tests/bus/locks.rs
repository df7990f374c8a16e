//! B7: no lock is held while code of the user runs, a `Drop` included.

use std::error::Error;
use std::fmt;
use std::future::pending;
use std::pin::pin;
use std::sync::{Arc, Barrier};
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use futures_util::{FutureExt, Stream};
use oyez::layer::from_fn;
use oyez::{AnyEvent, Event, EventBus, Overflow};
use serde::de::Deserializer;
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tracing_subscriber::layer::SubscriberExt;

use crate::flavour::{Flavour, finishes};
use crate::journal::Journal;

#[derive(Debug, Event)]
#[event(name = "locks.tick", local)]
struct Tick;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "probe")]
struct Probe;

/// Uses a bus in every way, from this thread and from another: if any lock is held here, one of the two hangs.
#[derive(Debug, Clone)]
struct Prober {
    bus: EventBus,
    journal: Journal<&'static str>,
}

impl Prober {
    fn new() -> Self {
        Self { bus: EventBus::new(), journal: Journal::new() }
    }

    fn probe(&self, at: &'static str) {
        self.touch();
        thread::scope(|scope| scope.spawn(|| self.touch()).join()).unwrap();
        self.journal.push(at);
    }

    fn touch(&self) {
        let bus = &self.bus;
        let exact = bus.on(async |_: Arc<Probe>| ());
        let pattern = bus.on_pattern("probe.*", async |_: AnyEvent| ()).unwrap();
        let guard = bus.once(async |_: Arc<Probe>| ()).guard();
        assert!(bus.emit(Probe).now_or_never().unwrap().unwrap().delivered() >= 1);
        bus.emit_json("probe", json!(null)).now_or_never().unwrap().unwrap();
        bus.emit_json("probe.untyped", json!(null)).now_or_never().unwrap().unwrap();
        if tokio::runtime::Handle::try_current().is_ok() {
            bus.post(Probe).unwrap();
        }
        drop((bus.listeners(), bus.stats(), format!("{bus:?}"), EventBus::global()));
        assert!(bus.listener_count::<Probe>() + bus.listener_count_of("probe") >= 2);
        drop(guard);
        assert!(exact.off() && pattern.off());
    }

    /// Something whose drop probes.
    fn witness(&self, at: &'static str) -> Witness {
        Witness(self.clone(), at)
    }

    fn bus(&self) -> EventBus {
        self.bus.clone()
    }

    #[track_caller]
    fn assert_probed(&self, at: &[&str]) {
        assert_eq!(self.journal.take(), at);
    }
}

#[derive(Debug)]
struct Witness(Prober, &'static str);

impl Witness {
    fn look(&self) {
        assert!(!self.1.is_empty());
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.0.probe(self.1);
    }
}

/// Runs a scenario in a runtime, on a thread that may hang.
fn scenario<Fut: Future<Output = ()>>(body: impl FnOnce(Prober) -> Fut + Send + 'static) {
    finishes(|| Flavour::CurrentThread.runtime().block_on(body(Prober::new())));
}

#[test]
fn b07_handlers_filters_and_layers() {
    scenario(async |prober| {
        let bus = prober.bus();
        let [p1, p2, p3, p4, p5, p6] = std::array::from_fn(|_| prober.clone());
        bus.on(move |_: Arc<Tick>| std::future::ready(p1.probe("async")));
        bus.on_sync(move |_: &Tick, _| p2.probe("sync"));
        bus.on_pattern("locks.*", move |_: AnyEvent| std::future::ready(p3.probe("pattern"))).unwrap();
        let with_filter = bus.subscribe::<Tick>().filter(move |_| {
            p4.probe("filter");
            true
        });
        with_filter.handle(async |_: Arc<Tick>| ());
        let layer = from_fn(move |call, next| {
            p5.probe("layer");
            next.run(call)
        });
        bus.subscribe::<Tick>().layer(layer).handle(async |_: Arc<Tick>| ());
        bus.once(move |_: Arc<Tick>| std::future::ready(p6.probe("once")));
        bus.emit(Tick).await.unwrap();
        prober.assert_probed(&["async", "sync", "pattern", "filter", "layer", "once"]);
    });
}

#[test]
fn b07_another_thread_is_free_while_a_handler_blocks() {
    finishes(|| {
        let (prober, barrier) = (Prober::new(), Arc::new(Barrier::new(2)));
        let wait = Arc::clone(&barrier);
        prober.bus().on_sync(move |_: &Tick, _| {
            wait.wait();
            wait.wait();
        });
        let bus = prober.bus();
        let blocked = thread::spawn(move || bus.emit(Tick).now_or_never().unwrap().unwrap().delivered());
        barrier.wait();
        prober.probe("while it blocks");
        prober.bus().on_sync(|_: &Tick, _| ());
        barrier.wait();
        assert_eq!(blocked.join().unwrap(), 1);
    });
}

#[test]
fn b07_what_a_removed_handler_kept_is_dropped() {
    scenario(async |prober| {
        let bus = prober.bus();
        let exact = |at| {
            let witness = prober.witness(at);
            bus.on(move |_: Arc<Tick>| std::future::ready(witness.look()))
        };
        let pattern = |at| {
            let witness = prober.witness(at);
            bus.on_pattern("locks.*", move |_: AnyEvent| std::future::ready(witness.look())).unwrap()
        };
        for subscribe in [&exact as &dyn Fn(_) -> _, &pattern] {
            assert!(subscribe("off").off());
            prober.assert_probed(&["off"]);
            drop(subscribe("guard").guard());
            prober.assert_probed(&["guard"]);
            subscribe("remove_all");
            assert_eq!(bus.remove_all(), 1);
            prober.assert_probed(&["remove_all"]);
        }
        exact("remove_all_of");
        assert_eq!(bus.remove_all_of::<Tick>(), 1);
        prober.assert_probed(&["remove_all_of"]);
        let witness = prober.witness("once");
        bus.once(move |_: Arc<Tick>| std::future::ready(witness.look()));
        bus.emit(Tick).await.unwrap();
        prober.assert_probed(&["once"]);
        let (witness, layer) = (prober.witness("filter"), prober.witness("layer"));
        let layer = from_fn(move |call, next| {
            layer.look();
            next.run(call)
        });
        let options = bus.subscribe::<Tick>().layer(layer).filter(move |_| {
            witness.look();
            true
        });
        assert!(options.handle(async |_: Arc<Tick>| ()).off());
        let mut probed = prober.journal.take();
        probed.sort_unstable();
        assert_eq!(probed, ["filter", "layer"]);
    });
}

#[test]
fn b07_a_cancelled_future_is_dropped() {
    scenario(async |prober| {
        let bus = prober.bus();
        let waiting = |at| {
            let prober = prober.clone();
            move |_: Arc<Tick>| {
                let witness = prober.witness(at);
                async move {
                    pending::<()>().await;
                    witness.look();
                }
            }
        };
        let cancelled = bus.on(waiting("cancelled"));
        let mut emit = bus.emit(Tick);
        assert!((&mut emit).now_or_never().is_none());
        drop(emit);
        prober.assert_probed(&["cancelled"]);
        assert!(cancelled.off());
        bus.subscribe::<Tick>().timeout(Duration::from_millis(1)).handle(waiting("timed out"));
        assert_eq!(bus.emit(Tick).await.unwrap().failures().len(), 1);
        prober.assert_probed(&["timed out"]);
    });
}

/// An event whose drop probes.
#[derive(Debug, Event)]
#[event(name = "locks.witnessed", local)]
struct Witnessed(Witness);

#[test]
fn b07_an_event_is_dropped() {
    scenario(async |prober| {
        let bus = prober.bus();
        let witnessed = |at| Witnessed(prober.witness(at));
        bus.emit(witnessed("unheard")).await.unwrap();
        prober.assert_probed(&["unheard"]);
        let last = bus.on(async |event: Arc<Witnessed>| event.0.look());
        bus.emit(witnessed("heard")).await.unwrap();
        bus.emit_detached(witnessed("detached")).unwrap().await.unwrap();
        prober.assert_probed(&["heard", "detached"]);
        assert!(last.off());
        for (overflow, dropped) in [(Overflow::DropOldest, "first"), (Overflow::DropNewest, "second")] {
            let queued = bus.subscribe::<Witnessed>().queued(1, overflow);
            let queued = queued.handle(async |event: Arc<Witnessed>| event.0.look());
            bus.emit(witnessed("first")).await.unwrap();
            bus.emit(witnessed("second")).await.unwrap();
            prober.assert_probed(&[dropped]);
            assert!(queued.off());
            prober.assert_probed(&[if dropped == "first" { "second" } else { "first" }]);
            bus.settle().await;
        }
        let stream = bus.stream::<Witnessed>(1);
        bus.emit(witnessed("lagged")).await.unwrap();
        bus.emit(witnessed("kept")).await.unwrap();
        prober.assert_probed(&["lagged"]);
        drop(stream);
        prober.assert_probed(&["kept"]);
    });
}

/// An error, or the payload of a panic, that probes when it is shown and when it is dropped.
#[derive(Debug)]
struct Telling(Witness);

impl fmt::Display for Telling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.probe("shown");
        f.write_str("told")
    }
}

impl Error for Telling {}

#[test]
fn b07_an_error_is_shown_and_dropped() {
    scenario(async |prober| {
        let (bus, inner) = (prober.bus(), prober.clone());
        let failing = bus.on(move |_: Arc<Tick>| std::future::ready(Err(Telling(inner.witness("dropped")))));
        drop(bus.emit(Tick).await.unwrap());
        prober.assert_probed(&["shown", "dropped"]);
        assert!(failing.off());
        let inner = prober.clone();
        bus.on_sync(move |_: &Tick, _| -> () { std::panic::resume_unwind(Box::new(inner.witness("payload"))) });
        assert_eq!(bus.emit(Tick).await.unwrap().failures().len(), 1);
        prober.assert_probed(&["payload"]);
    });
}

/// A log that looks at the bus it logs for.
struct ProbingLog(Prober);

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for ProbingLog {
    fn on_event(&self, _: &tracing::Event<'_>, _: tracing_subscriber::layer::Context<'_, S>) {
        self.0.probe("logged");
    }
}

#[test]
fn b07_a_line_is_logged() {
    finishes(|| {
        let prober = Prober::new();
        let log = tracing_subscriber::registry().with(ProbingLog(prober.clone()));
        tracing::subscriber::with_default(log, || {
            Flavour::CurrentThread.runtime().block_on(async {
                let bus = prober.bus();
                let failing = bus.on(async |_: Arc<Tick>| Err("no"));
                bus.emit(Tick).await.unwrap();
                prober.assert_probed(&["logged"]);
                assert!(failing.off());
                bus.subscribe::<Tick>().queued(1, Overflow::DropOldest).handle(async |_: Arc<Tick>| ());
                bus.emit(Tick).await.unwrap();
                bus.emit(Tick).await.unwrap();
                prober.assert_probed(&["logged"]);
            });
        });
    });
}

/// An event that probes when it is read and written.
#[derive(Debug, Event)]
#[event(name = "locks.written")]
struct Written;

thread_local! {
    static PROBER: Prober = Prober::new();
}

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        PROBER.with(|prober| prober.probe("written"));
        serializer.serialize_unit()
    }
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        PROBER.with(|prober| prober.probe("read"));
        <()>::deserialize(deserializer).map(|()| Self)
    }
}

#[test]
fn b07_an_event_is_read_and_written() {
    finishes(|| {
        let prober = PROBER.with(Prober::clone);
        let bus = prober.bus();
        let typed = bus.on(async |_: Arc<Written>| ());
        bus.emit_json("locks.written", json!(null)).now_or_never().unwrap().unwrap();
        prober.assert_probed(&["read"]);
        assert!(typed.off());
        bus.on_pattern("locks.*", async |event: AnyEvent| {
            assert!(event.json().is_some());
            assert!(event.downcast::<Written>().is_some());
        })
        .unwrap();
        bus.emit(Written).now_or_never().unwrap().unwrap();
        prober.assert_probed(&["written"]);
        bus.emit_json("locks.written", json!(null)).now_or_never().unwrap().unwrap();
        prober.assert_probed(&["read"]);
    });
}

/// A task that looks at the bus when it is woken.
impl Wake for Witness {
    fn wake(self: Arc<Self>) {
        self.0.probe("woken");
    }
}

#[test]
fn b07_a_task_is_woken() {
    scenario(async |prober| {
        let bus = prober.bus();
        let mut stream = pin!(bus.stream::<Tick>(4));
        for _ in 0..2 {
            let waker = Waker::from(Arc::new(prober.witness("waker dropped")));
            let mut task = TaskContext::from_waker(&waker);
            assert!(stream.as_mut().poll_next(&mut task).is_pending());
        }
        prober.assert_probed(&["waker dropped"]);
        bus.emit(Tick).await.unwrap();
        prober.assert_probed(&["woken", "waker dropped"]);
        let waker = Waker::from(Arc::new(prober.witness("waker dropped")));
        let mut task = TaskContext::from_waker(&waker);
        assert!(matches!(stream.as_mut().poll_next(&mut task), Poll::Ready(Some(Ok(_)))));
    });
}
