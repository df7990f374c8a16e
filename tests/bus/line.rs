//! B8: `post` and `emit_detached` share one line for each bus, started in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures_util::FutureExt;
use oyez::{AnyEvent, Context, EmitError, Event, EventBus};
use tokio::sync::mpsc;

use crate::flavour::{Flavour, finishes, on_each_flavour};
use crate::gate::Gate;
use crate::journal::Journal;

#[derive(Debug, Event)]
#[event(name = "line.number", local)]
struct Number(usize);

#[derive(Debug, Event)]
#[event(name = "line.posted", local)]
struct Posted(&'static str);

#[derive(Debug, Event)]
#[event(name = "line.outer", local)]
struct Outer;

#[derive(Debug, Event)]
#[event(name = "line.inner", local)]
struct Inner;

/// Posts an event, and spins so that another thread could start it at once.
fn post(bus: &EventBus, name: &'static str) {
    bus.post(Posted(name)).unwrap();
    (0..20).for_each(|_| std::thread::yield_now());
}

#[test]
fn b08_post_is_breadth_first() {
    on_each_flavour(|flavour| async move {
        let (bus, journal) = (EventBus::new(), Journal::new());
        let seen = journal.clone();
        bus.on_sync(move |posted: &Posted, _| seen.push(posted.0));
        bus.with((bus.clone(), journal.clone())).on(async |with: Arc<(EventBus, Journal<_>)>, _: Arc<Outer>| {
            post(&with.0, "posted first");
            with.1.push("outer 1");
            with.0.emit(Inner).await.unwrap();
            post(&with.0, "posted third");
            with.1.push("outer 1 ends");
        });
        let seen = journal.clone();
        bus.on_pattern("line.outer", move |_: AnyEvent| std::future::ready(seen.push("outer 2"))).unwrap();
        let (inner, seen) = (bus.clone(), journal.clone());
        bus.on_sync(move |_: &Inner, _| {
            post(&inner, "posted second");
            seen.push("inner");
        });
        let (inner, seen) = (bus.clone(), journal.clone());
        bus.on_sync(move |_: &Outer, _| {
            post(&inner, "posted fourth");
            seen.push("outer 3");
        });
        let rounds = if flavour == Flavour::MultiThread { 1000 } else { 10 };
        for _ in 0..rounds {
            bus.emit(Outer).await.unwrap().into_result().unwrap();
            bus.settle().await;
            let emitted = ["outer 1", "inner", "outer 1 ends", "outer 2", "outer 3"];
            let posted = ["posted first", "posted second", "posted third", "posted fourth"];
            assert_eq!(journal.take(), [emitted.as_slice(), &posted].concat());
        }
    });
}

#[test]
fn b08_what_a_posted_event_posts_goes_behind_all_that_is_in_the_line() {
    on_each_flavour(|_| async {
        let (bus, journal) = (EventBus::new(), Journal::new());
        // A tree of numbers, level by level: n posts 2n and 2n + 1.
        bus.with((bus.clone(), journal.clone())).on(
            async |with: Arc<(EventBus, Journal<usize>)>, number: Arc<Number>, cx: Context| {
                with.1.push(number.0);
                assert_eq!(cx.depth(), number.0.ilog2() as usize);
                if number.0 < 512 {
                    with.0.post(Number(2 * number.0)).unwrap();
                    with.0.emit_detached(Number(2 * number.0 + 1)).unwrap();
                }
            },
        );
        bus.post(Number(1)).unwrap();
        bus.settle().await;
        assert_eq!(journal.take(), (1..1024).collect::<Vec<_>>());
        assert_eq!(bus.listeners()[0].failures, 0);
    });
}

#[test]
fn b08_posts_and_detached_emits_are_started_in_order() {
    on_each_flavour(|_| async {
        let (bus, journal, gate) = (EventBus::new(), Journal::new(), Gate::closed());
        bus.with((journal.clone(), gate.clone())).on(async |with: Arc<(Journal<_>, Gate)>, number: Arc<Number>| {
            with.0.push(("starts", number.0));
            // Even numbers wait, and hold up nobody.
            if number.0.is_multiple_of(2) {
                with.1.passed().await;
            }
            with.0.push(("ends", number.0));
        });
        let mut even = Vec::new();
        for number in 0..100 {
            match number % 4 {
                0 => even.push(bus.emit_detached(Number(number)).unwrap()),
                1 => bus.post(Number(number)).unwrap(),
                2 => even.push(bus.emit(Number(number)).sequential().detach().unwrap()),
                _ => _ = bus.emit_detached(Number(number)).unwrap().await.unwrap(),
            }
        }
        let expected = (0..100).flat_map(|number| [("starts", number), ("ends", number)]);
        assert_eq!(
            journal.take(),
            expected.filter(|entry| *entry < ("f", 0) && entry.1 % 2 == 1 || entry.0 == "starts").collect::<Vec<_>>()
        );
        gate.open();
        bus.settle().await;
        let mut ends = journal.take();
        ends.sort_unstable();
        assert_eq!(ends, (0..100).step_by(2).map(|number| ("ends", number)).collect::<Vec<_>>());
        for detached in even {
            assert_eq!(detached.await.unwrap().delivered(), 1);
        }
    });
}

#[test]
fn b08_settle_waits_for_what_moved_to_a_task() {
    on_each_flavour(|_| async {
        let (bus, gate) = (EventBus::new(), Gate::closed());
        bus.with(gate.clone()).on(async |gate: Arc<Gate>, _: Arc<Outer>| gate.passed().await);
        bus.post(Outer).unwrap();
        while bus.listeners()[0].calls == 0 {
            tokio::task::yield_now().await;
        }
        let mut settled = Box::pin(bus.settle());
        assert!(settled.as_mut().now_or_never().is_none());
        gate.open();
        settled.await;
    });
}

/// The line runs empty all the time, and the next post meets its last moment.
#[test]
fn b08_the_order_holds_when_the_line_runs_empty_all_the_time() {
    const POSTS: usize = 300_000;
    on_each_flavour(|_| async {
        let (bus, next) = (EventBus::new(), Arc::new(AtomicUsize::new(0)));
        let (in_order, expected) = (Arc::new(AtomicBool::new(true)), Arc::clone(&next));
        let still = Arc::clone(&in_order);
        bus.on_sync(move |number: &Number, _| {
            if expected.fetch_add(1, Ordering::SeqCst) != number.0 {
                still.store(false, Ordering::SeqCst);
            }
        });
        for number in 0..POSTS {
            bus.post(Number(number)).unwrap();
            // Now and then wait until the line is as good as empty; else keep pace with it.
            while number % 64 == 0 && next.load(Ordering::SeqCst) < number {
                tokio::task::yield_now().await;
            }
        }
        bus.settle().await;
        assert_eq!(next.load(Ordering::SeqCst), POSTS);
        assert!(in_order.load(Ordering::SeqCst), "an event overtook another");
    });
}

#[test]
fn b08_each_task_that_posts_is_served_in_its_order() {
    const TASKS: usize = 4;
    const POSTS: usize = 20_000;
    on_each_flavour(|_| async {
        let (bus, (sender, mut started)) = (EventBus::new(), mpsc::unbounded_channel());
        bus.on_sync(move |number: &Number, _| sender.send(number.0).unwrap());
        let tasks: Vec<_> = (0..TASKS)
            .map(|task| {
                let bus = bus.clone();
                tokio::spawn(async move {
                    for post in 0..POSTS {
                        bus.post(Number(task * POSTS + post)).unwrap();
                        if post % 7 == 0 {
                            tokio::task::yield_now().await;
                        }
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        bus.settle().await;
        let mut next: [usize; TASKS] = std::array::from_fn(|task| task * POSTS);
        while let Ok(number) = started.try_recv() {
            assert_eq!(number, next[number / POSTS]);
            next[number / POSTS] += 1;
        }
        assert_eq!(next, std::array::from_fn(|task| (task + 1) * POSTS));
    });
}

#[test]
fn b08_the_line_goes_on_in_the_next_runtime() {
    for first in Flavour::ALL {
        for second in Flavour::ALL {
            finishes(move || {
                let (bus, journal) = (EventBus::new(), Journal::new());
                let seen = journal.clone();
                bus.on_sync(move |number: &Number, _| seen.push(number.0));
                // A runtime that ends before it gets round to what was posted last.
                let runtime = first.runtime();
                let entered = runtime.enter();
                (0..10).for_each(|number| bus.post(Number(number)).unwrap());
                drop(entered);
                runtime.shutdown_background();
                let runtime = second.runtime();
                runtime.block_on(async {
                    journal.take();
                    (10..20).for_each(|number| bus.post(Number(number)).unwrap());
                    // Where it stopped is a matter of chance, where it goes on is not: what is posted now is started.
                    let started = tokio::time::timeout(std::time::Duration::from_secs(5), async {
                        let mut seen = Vec::new();
                        while seen.last() != Some(&19) {
                            tokio::task::yield_now().await;
                            seen.extend(journal.take());
                        }
                        seen
                    });
                    let started =
                        started.await.unwrap_or_else(|_| unreachable!("nothing starts: {first:?}, {second:?}"));
                    assert!(started.is_sorted() && started.ends_with(&(10..20).collect::<Vec<_>>()), "{started:?}");
                });
            });
        }
    }
}

#[test]
fn b08_the_line_needs_a_runtime() {
    let bus = EventBus::new();
    bus.on_sync(|_: &Outer, _| ());
    assert!(matches!(bus.post(Outer), Err(EmitError::NoRuntime)));
    assert!(matches!(bus.emit_detached(Outer), Err(EmitError::NoRuntime)));
    assert_eq!(bus.listeners()[0].calls, 0);
}
