//! The counts are exact when nothing moves, whatever went on before.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use oyez::{AnyEvent, EventBus, Overflow, Subscription};
use serde_json::json;

use crate::{Tick, Tock, listener};

/// A subscription, and how often its handler really ran.
struct Counted {
    subscription: Subscription,
    ran: Arc<AtomicU64>,
}

impl Counted {
    fn subscribe(subscribe: impl FnOnce(Arc<AtomicU64>) -> Subscription) -> Self {
        let ran = Arc::new(AtomicU64::new(0));
        Self { subscription: subscribe(Arc::clone(&ran)), ran }
    }

    fn assert_exact(&self, bus: &EventBus) -> u64 {
        let (seen, ran) = (listener(bus, &self.subscription), self.ran.load(Ordering::SeqCst));
        assert_eq!((seen.calls, seen.queue_depth), (ran, 0), "{:?}", self.subscription);
        ran
    }
}

/// One subscription of each kind.
#[expect(clippy::unwrap_used, reason = "the test fails here")]
fn each_kind(bus: &EventBus) -> Vec<Counted> {
    let count = |ran: &AtomicU64| _ = ran.fetch_add(1, Ordering::SeqCst);
    vec![
        Counted::subscribe(|ran| bus.on_sync(move |_: &Tick, _| count(&ran))),
        Counted::subscribe(|ran| {
            bus.on(move |_: Arc<Tick>| {
                let ran = Arc::clone(&ran);
                async move {
                    count(&ran);
                    tokio::task::yield_now().await;
                }
            })
        }),
        Counted::subscribe(|ran| {
            let pattern = bus.subscribe_pattern("look.*").unwrap();
            pattern.handle_sync(move |_: &AnyEvent, _| count(&ran))
        }),
        Counted::subscribe(|ran| {
            let even = bus.subscribe::<Tick>().filter(|tick| tick.0 % 2 == 0);
            even.handle_sync(move |_, _| count(&ran))
        }),
        Counted::subscribe(|ran| {
            bus.subscribe::<Tick>().queued(4, Overflow::DropOldest).handle_sync(move |_, _| count(&ran))
        }),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b13_calls_are_exact_after_emits_from_four_threads_with_subscriptions_that_change() {
    const EMITTERS: u64 = 4;
    const EACH: u64 = 4_000;
    let bus = EventBus::new();
    let steady = each_kind(&bus);
    let stop = Arc::new(AtomicBool::new(false));
    let kept = Arc::new(Mutex::new(Vec::new()));
    let changers: Vec<_> = (0..2_u64)
        .map(|_| {
            let (bus, stop, kept) = (bus.clone(), Arc::clone(&stop), Arc::clone(&kept));
            tokio::spawn(async move {
                let mut round = 0_u64;
                while !stop.load(Ordering::SeqCst) {
                    let mut others = each_kind(&bus);
                    if round < 20 {
                        kept.lock().unwrap().push(others.remove(usize::try_from(round % 5).unwrap()));
                    }
                    bus.once(async |_: Arc<Tick>| {});
                    tokio::task::yield_now().await;
                    for other in others {
                        assert!(other.subscription.off());
                    }
                    round += 1;
                }
                round
            })
        })
        .collect();
    let emitters: Vec<_> = (0..EMITTERS)
        .map(|emitter| {
            let bus = bus.clone();
            tokio::spawn(async move {
                for n in 0..EACH {
                    let tick = emitter * EACH + n;
                    match n % 4 {
                        0 => drop(bus.emit_json("look.tick", json!(tick)).await.unwrap()),
                        1 => drop(bus.emit(Tock(tick)).await.unwrap()),
                        _ => drop(bus.emit(Tick(tick)).await.unwrap()),
                    }
                }
            })
        })
        .collect();
    for emitter in emitters {
        emitter.await.unwrap();
    }
    stop.store(true, Ordering::SeqCst);
    for changer in changers {
        assert!(changer.await.unwrap() > 0);
    }
    bus.settle().await;

    let (ticks, all) = (EMITTERS * EACH / 4 * 3, EMITTERS * EACH);
    let calls: Vec<_> = steady.iter().map(|one| one.assert_exact(&bus)).collect();
    assert_eq!((calls[0], calls[1], calls[2], calls[3]), (ticks, ticks, all, ticks / 3 * 2));
    assert_eq!(calls[4] + listener(&bus, &steady[4].subscription).dropped, ticks);
    let kept = kept.lock().unwrap();
    assert!(kept.len() > 1);
    for one in &*kept {
        one.assert_exact(&bus);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b13_failures_and_cancelled_calls_are_exact_after_a_race() {
    const EACH: u64 = 3_000;
    let bus = EventBus::new();
    let fails = bus.on(async |tick: Arc<Tick>| if tick.0.is_multiple_of(3) { Err("a third fails") } else { Ok(()) });
    let slow = bus.on(async |tick: Arc<Tick>| {
        if tick.0.is_multiple_of(2) {
            std::future::pending::<()>().await;
        }
    });
    let emitters: Vec<_> = (0..4)
        .map(|_| {
            let bus = bus.clone();
            tokio::spawn(async move {
                for tick in 0..EACH {
                    tokio::select! {
                        biased;
                        emitted = bus.emit(Tick(tick)) => assert!(emitted.is_ok() && tick % 2 == 1),
                        () = std::future::ready(()) => assert_eq!(tick % 2, 0),
                    }
                }
            })
        })
        .collect();
    for emitter in emitters {
        emitter.await.unwrap();
    }
    let (fails, slow) = (listener(&bus, &fails), listener(&bus, &slow));
    assert_eq!((fails.calls, fails.failures, fails.cancelled), (4 * EACH, 4 * EACH / 3, 0));
    assert_eq!((slow.calls, slow.failures, slow.cancelled), (4 * EACH, 0, 2 * EACH));
}
