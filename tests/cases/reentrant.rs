//! C01 and C02: handlers that change who is subscribed while their event is under way.

use std::sync::{Arc, OnceLock};

use oyez::{AnyEvent, Dispatch, Event, EventBus, Subscription};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::flavour::on_each_flavour;
use crate::journal::Journal;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "bundle.end")]
struct BundleEnd;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "other")]
struct Other;

#[derive(Debug, Clone, Copy)]
enum Kind {
    Exact,
    Waiting,
    Pattern,
    Untyped,
}

/// What H needs: the bus, its own subscription, and where handlers write.
struct Hands {
    bus: EventBus,
    own: OnceLock<Subscription>,
    journal: Journal<&'static str>,
    kind: Kind,
}

impl Hands {
    /// What H does: subscribes K, removes itself, emits another event.
    async fn act(&self) {
        self.journal.push("H");
        if matches!(self.kind, Kind::Waiting) {
            tokio::task::yield_now().await;
        }
        let seen = self.journal.clone();
        self.bus.on_sync(move |_: &BundleEnd, _| seen.push("K"));
        assert!(self.own.get().unwrap().off());
        let emitted = match self.kind {
            Kind::Untyped => self.bus.emit_json("other", json!(null)).await,
            _ => self.bus.emit(Other).await,
        };
        emitted.unwrap().into_result().unwrap();
        self.journal.push("H ends");
    }
}

async fn round(kind: Kind, mode: Dispatch) {
    let (bus, journal) = (EventBus::builder().dispatch(mode).build(), Journal::new());
    let seen = journal.clone();
    bus.on_sync(move |_: &Other, _| seen.push("other"));
    let hands = Arc::new(Hands { bus: bus.clone(), own: OnceLock::new(), journal: journal.clone(), kind });
    let with = bus.with(Arc::clone(&hands));
    let subscription = match kind {
        Kind::Pattern => with.on_pattern("bundle.*", async |hands: Arc<Hands>, _: AnyEvent| hands.act().await).unwrap(),
        _ => with.on(async |hands: Arc<Hands>, _: Arc<BundleEnd>| hands.act().await),
    };
    hands.own.set(subscription.clone()).unwrap();
    let emit = || async {
        match kind {
            Kind::Untyped => bus.emit_json("bundle.end", json!(null)).await,
            _ => bus.emit(BundleEnd).await,
        }
        .unwrap()
        .into_result()
        .unwrap()
        .delivered()
    };
    // K does not see the emit that created it.
    assert_eq!((emit().await, journal.take()), (1, vec!["H", "other", "H ends"]));
    assert!(!subscription.is_on() && !subscription.off());
    assert_eq!(bus.listener_count::<BundleEnd>(), 1);
    assert_eq!((emit().await, journal.take()), (1, vec!["K"]));
}

#[test]
fn c01_a_handler_subscribes_removes_and_emits() {
    on_each_flavour(|_| async {
        for _ in 0..100 {
            for mode in [Dispatch::Concurrent, Dispatch::Sequential] {
                for kind in [Kind::Exact, Kind::Waiting, Kind::Pattern, Kind::Untyped] {
                    round(kind, mode).await;
                }
            }
        }
    });
}

/// The same from many tasks at once, on one bus that all of them change.
#[test]
fn c01_many_handlers_do_so_at_once() {
    on_each_flavour(|_| async {
        let bus = EventBus::new();
        bus.on_sync(|_: &Other, _| ());
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let bus = bus.clone();
                tokio::spawn(async move {
                    for _ in 0..200 {
                        let inner = bus.clone();
                        let once = bus.once(move |_: Arc<BundleEnd>| {
                            let bus = inner.clone();
                            async move {
                                let added = bus.on(async |_: Arc<BundleEnd>| ());
                                let pattern = bus.on_pattern("*", async |_: AnyEvent| ()).unwrap();
                                bus.emit(Other).await.unwrap().into_result().unwrap();
                                tokio::task::yield_now().await;
                                assert!(added.off() && pattern.off());
                            }
                        });
                        bus.emit(BundleEnd).await.unwrap().into_result().unwrap();
                        assert!(!once.is_on());
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(bus.listeners().len(), 1);
    });
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "tick")]
struct Tick;

/// Handlers A to D, by exact type and by pattern in turn; A removes C if it is told so, and B removes itself.
fn subscribe(
    bus: &EventBus,
    a_removes_c: bool,
    by_pattern: usize,
    seen: &Journal<char>,
) -> Arc<OnceLock<[Subscription; 4]>> {
    let all = Arc::new(OnceLock::<[Subscription; 4]>::new());
    let subscriptions = std::array::from_fn(|place| {
        let name = ['A', 'B', 'C', 'D'][place];
        let (seen, all) = (seen.clone(), Arc::clone(&all));
        let act = move || {
            seen.push(name);
            match name {
                'A' if a_removes_c => _ = all.get().unwrap()[2].off(),
                'B' => _ = all.get().unwrap()[1].off(),
                _ => {}
            }
        };
        match by_pattern & (1 << place) {
            0 => bus.on(move |_: Arc<Tick>| std::future::ready(act())),
            _ => bus.on_pattern("tick", move |_: AnyEvent| std::future::ready(act())).unwrap(),
        }
    });
    assert!(all.set(subscriptions).is_ok());
    all
}

#[test]
fn c02_removing_in_the_middle_skips_the_removed_and_nobody_else() {
    on_each_flavour(|_| async {
        for mode in [Dispatch::Concurrent, Dispatch::Sequential] {
            for by_pattern in 0..16 {
                let (bus, seen) = (EventBus::builder().dispatch(mode).build(), Journal::new());
                subscribe(&bus, true, by_pattern, &seen);
                bus.emit(Tick).await.unwrap().into_result().unwrap();
                assert_eq!(seen.take(), ['A', 'B', 'D']);
                bus.emit(Tick).await.unwrap();
                assert_eq!(seen.take(), ['A', 'D']);
            }
        }
    });
}

#[test]
fn c02_what_another_task_removed_before_the_emit_never_runs() {
    on_each_flavour(|_| async {
        for mode in [Dispatch::Concurrent, Dispatch::Sequential] {
            for by_pattern in 0..16 {
                let (bus, seen) = (EventBus::builder().dispatch(mode).build(), Journal::new());
                let all = subscribe(&bus, false, by_pattern, &seen);
                let removed = tokio::spawn(async move { all.get().unwrap()[2].off() });
                assert!(removed.await.unwrap());
                bus.emit(Tick).await.unwrap();
                assert_eq!(seen.take(), ['A', 'B', 'D']);
                bus.emit(Tick).await.unwrap();
                assert_eq!(seen.take(), ['A', 'D']);
            }
        }
    });
}
