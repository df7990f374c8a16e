//! B6: removing handlers, and what removing them says.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use futures_util::FutureExt;
use oyez::{AnyEvent, Event, EventBus, Subscription, SubscriptionGuard};
use tokio::sync::Barrier;

use crate::flavour::on_each_flavour;
use crate::journal::Journal;

#[derive(Debug, Event)]
#[event(name = "off.tick", local)]
struct Tick;

fn emit(bus: &EventBus) -> usize {
    bus.emit(Tick).now_or_never().unwrap().unwrap().delivered()
}

async fn nothing(_: Arc<Tick>) {}

async fn nothing_untyped(_: AnyEvent) {}

#[test]
fn b06_off_is_true_for_the_call_that_removed_it() {
    let bus = EventBus::new();
    for subscription in [bus.on(nothing), bus.on_pattern("off.*", nothing_untyped).unwrap()] {
        let copy = subscription.clone();
        assert!(subscription.is_on() && copy.is_on());
        assert_eq!(emit(&bus), bus.listener_count::<Tick>());
        assert!(copy.off());
        assert!(!copy.is_on() && !subscription.is_on());
        assert!(!subscription.off() && !copy.off() && !bus.off(subscription.id()));
    }
    assert_eq!(emit(&bus), 0);
    let by_id = bus.on(nothing);
    assert!(bus.off(by_id.id()));
    assert!(!bus.off(by_id.id()) && !by_id.off());
    let removed = bus.on(nothing);
    assert_eq!((bus.remove_all(), removed.off()), (1, false));
    let removed = bus.on(nothing);
    assert_eq!((bus.remove_all_of::<Tick>(), removed.off()), (1, false));
}

#[test]
fn b06_off_reaches_its_own_bus_only() {
    let (bus, other) = (EventBus::new(), EventBus::new());
    let (here, there) = (bus.on(nothing), other.on(nothing));
    assert!(here.off());
    assert!(there.is_on());
    assert_eq!((emit(&bus), emit(&other)), (0, 1));
    let id = there.id();
    drop((other, there));
    assert!(!bus.off(id));
}

#[test]
fn b06_ids_are_never_used_again() {
    let bus = EventBus::new();
    let mut ids = BTreeSet::new();
    let mut last = None;
    for round in 0..10_000 {
        let subscription = match round % 4 {
            0 => bus.on(nothing),
            1 => bus.on_pattern("off.*", nothing_untyped).unwrap(),
            2 => bus.once(nothing),
            _ => bus.on_sync(|_: &Tick, _| ()),
        };
        assert!(Some(subscription.id()) > last, "a later subscription has a greater id");
        last = Some(subscription.id());
        assert!(ids.insert(subscription.id()));
        match round % 3 {
            0 => assert!(subscription.off()),
            1 => drop(subscription.guard()),
            _ => assert_eq!(bus.remove_all(), 1),
        }
    }
}

#[test]
fn b06_one_function_subscribed_three_times_is_three_subscriptions() {
    let (bus, count) = (EventBus::new(), Arc::new(AtomicUsize::new(0)));
    let on = || {
        bus.with(Arc::clone(&count)).on(async |count: Arc<AtomicUsize>, _: Arc<Tick>| {
            count.fetch_add(1, Ordering::Relaxed);
        })
    };
    let [first, second, third] = [on(), on(), on()];
    assert_eq!(BTreeSet::from([first.id(), second.id(), third.id()]).len(), 3);
    for (off, left) in [(&second, 2), (&first, 1), (&third, 0)] {
        assert!(off.off());
        assert_eq!((emit(&bus), count.swap(0, Ordering::Relaxed)), (left, left));
    }
    let same = [bus.on(nothing), bus.on(nothing), bus.on(nothing)];
    assert_eq!(emit(&bus), 3);
    assert!(same[2].off());
    assert_eq!(emit(&bus), 2);
}

#[test]
fn b06_dropping_a_subscription_leaves_the_handler_on() {
    let bus = EventBus::new();
    let subscription = bus.on(nothing);
    drop(subscription.clone());
    drop(subscription);
    assert_eq!(emit(&bus), 1);
}

#[test]
fn b06_a_guard_removes_its_handler() {
    let bus = EventBus::new();
    let guard: SubscriptionGuard = bus.on(nothing).guard();
    assert!(guard.subscription().is_on());
    assert_eq!(emit(&bus), 1);
    drop(guard);
    assert_eq!(emit(&bus), 0);
    let guarded = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _guard = bus.on(nothing).guard();
        std::panic::resume_unwind(Box::new(emit(&bus)));
    }));
    assert_eq!((*guarded.unwrap_err().downcast_ref::<usize>().unwrap(), emit(&bus)), (1, 0));
    let guard = bus.on(nothing).guard();
    assert!(guard.subscription().off());
    drop(guard);
}

#[test]
#[expect(unused_must_use, reason = "that the compiler warns here is the promise")]
#[deny(unfulfilled_lint_expectations)]
fn b06_a_guard_must_be_used() {
    let bus = EventBus::new();
    bus.on(nothing).guard();
    assert_eq!(emit(&bus), 0);
}

#[test]
fn b06_a_guard_that_outlives_its_bus_does_nothing() {
    let bus = EventBus::new();
    let (guard, subscription) = (bus.on(nothing).guard(), bus.on_pattern("*", nothing_untyped).unwrap());
    drop(bus);
    assert!(!subscription.is_on() && !subscription.off());
    assert!(!guard.subscription().is_on());
    drop(guard);
}

#[test]
fn b06_a_handler_removes_itself() {
    let (bus, journal) = (EventBus::new(), Journal::new());
    let own = Arc::new(OnceLock::<Subscription>::new());
    let (inner, seen) = (Arc::clone(&own), journal.clone());
    let subscription = bus.on(move |_: Arc<Tick>| {
        let (own, seen) = (Arc::clone(&inner), seen.clone());
        async move {
            let own = own.get().unwrap();
            seen.push((own.off(), own.off()));
            // The call goes on to its end.
            tokio::task::yield_now().await;
            seen.push((own.is_on(), own.off()));
        }
    });
    own.set(subscription).unwrap();
    let mut under_way = bus.emit(Tick);
    while (&mut under_way).now_or_never().is_none() {}
    assert_eq!(journal.take(), [(true, false), (false, false)]);
    assert_eq!(emit(&bus), 0);
}

#[test]
fn b06_a_handler_drops_its_own_guard() {
    let (bus, own) = (EventBus::new(), Arc::new(std::sync::Mutex::new(None::<SubscriptionGuard>)));
    let inner = Arc::clone(&own);
    let guard = bus.on_sync(move |_: &Tick, _| drop(inner.lock().unwrap().take())).guard();
    *own.lock().unwrap() = Some(guard);
    assert_eq!((emit(&bus), emit(&bus)), (1, 0));
}

/// A handler in front notes whether `off` has returned; then the removed one must not start in the same emit.
#[test]
fn b06_off_is_true_under_a_race() {
    const ROUNDS: usize = 10_000;
    on_each_flavour(|_| async {
        let (bus, barrier) = (EventBus::new(), Arc::new(Barrier::new(2)));
        let off_returned = Arc::new(AtomicBool::new(false));
        let gone_at_its_turn = Arc::new(AtomicBool::new(false));
        let (returned, gone) = (Arc::clone(&off_returned), Arc::clone(&gone_at_its_turn));
        bus.on_sync(move |_: &Tick, _| gone.store(returned.load(Ordering::SeqCst), Ordering::SeqCst));
        let emitter = tokio::spawn({
            let (bus, barrier, returned) = (bus.clone(), Arc::clone(&barrier), Arc::clone(&off_returned));
            async move {
                for _ in 0..ROUNDS {
                    barrier.wait().await;
                    while !returned.load(Ordering::SeqCst) {
                        bus.emit(Tick).await.unwrap();
                        tokio::task::yield_now().await;
                    }
                    assert_eq!(bus.emit(Tick).await.unwrap().delivered(), 1);
                    barrier.wait().await;
                }
            }
        });
        let late = Arc::new(AtomicUsize::new(0));
        for round in 0..ROUNDS {
            off_returned.store(false, Ordering::SeqCst);
            let (gone, late) = (Arc::clone(&gone_at_its_turn), Arc::clone(&late));
            let act = move || _ = late.fetch_add(usize::from(gone.load(Ordering::SeqCst)), Ordering::SeqCst);
            let subscription = match round % 2 {
                0 => bus.on_sync(move |_: &Tick, _| act()),
                _ => bus.subscribe_pattern("off.*").unwrap().handle_sync(move |_, _| act()),
            };
            barrier.wait().await;
            if round % 4 < 2 {
                tokio::task::yield_now().await;
            }
            assert!(subscription.off());
            off_returned.store(true, Ordering::SeqCst);
            barrier.wait().await;
        }
        emitter.await.unwrap();
        assert_eq!(late.load(Ordering::SeqCst), 0);
    });
}

#[test]
fn b06_of_many_that_remove_a_handler_one_is_told_so() {
    const ROUNDS: usize = 10_000;
    const TASKS: usize = 4;
    on_each_flavour(|_| async {
        let (bus, barrier) = (EventBus::new(), Arc::new(Barrier::new(TASKS + 1)));
        let (removed, current) = (Arc::new(AtomicUsize::new(0)), Arc::new(std::sync::Mutex::new(bus.on(nothing))));
        let tasks: Vec<_> = (0..TASKS)
            .map(|task| {
                let (bus, barrier) = (bus.clone(), Arc::clone(&barrier));
                let (removed, current) = (Arc::clone(&removed), Arc::clone(&current));
                tokio::spawn(async move {
                    for _ in 0..ROUNDS {
                        barrier.wait().await;
                        let subscription = current.lock().unwrap().clone();
                        let count = match task {
                            0 => bus.remove_all(),
                            1 => bus.remove_all_of::<Tick>(),
                            2 => usize::from(bus.off(subscription.id())),
                            _ => usize::from(subscription.off()),
                        };
                        removed.fetch_add(count, Ordering::Relaxed);
                        barrier.wait().await;
                    }
                })
            })
            .collect();
        for round in 1..=ROUNDS {
            barrier.wait().await;
            barrier.wait().await;
            assert_eq!((removed.load(Ordering::Relaxed), emit(&bus)), (round, 0));
            *current.lock().unwrap() = bus.on(nothing);
        }
        for task in tasks {
            task.await.unwrap();
        }
    });
}
