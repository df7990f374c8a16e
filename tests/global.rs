//! The process-wide bus, and how a task tree gets another (promise B11).

use std::sync::{Arc, Mutex};

use oyez::{AnyEvent, Context, EmitError, Event, EventBus, Overflow};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::{Barrier, MutexGuard};

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "global.tick")]
struct Tick(u64);

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "global.tock")]
struct Tock(u64);

/// Keeps tests of the process-wide bus from each other where they share a process, and leaves none behind.
struct Alone(#[expect(dead_code, reason = "held until the end of the test")] MutexGuard<'static, ()>);

impl Alone {
    async fn in_the_process() -> Self {
        static ONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
        let guard = ONE.lock().await;
        EventBus::reset_global();
        Self(guard)
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        EventBus::reset_global();
    }
}

#[tokio::test]
async fn b11_the_global_bus_is_one_bus_for_the_process() {
    let _alone = Alone::in_the_process().await;
    let here = EventBus::global();
    let thread = std::thread::spawn(EventBus::global).join().unwrap();
    let task = tokio::spawn(async { EventBus::global() }).await.unwrap();
    assert!(here.is(&thread) && here.is(&task) && here.is(&EventBus::global()));
    assert!(!here.is(&EventBus::new()));
}

#[test]
fn b11_the_global_bus_is_made_once_by_racing_threads() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let _alone = runtime.block_on(Alone::in_the_process());
    for _ in 0..300 {
        EventBus::reset_global();
        let start = std::sync::Barrier::new(4);
        let buses = std::thread::scope(|scope| {
            let ask = || {
                start.wait();
                EventBus::global()
            };
            [(); 4].map(|()| scope.spawn(ask)).map(|thread| thread.join().unwrap())
        });
        assert!(buses.iter().all(|bus| bus.is(&buses[0])));
    }
}

#[tokio::test]
async fn b11_set_and_reset_exchange_the_global_bus() {
    let _alone = Alone::in_the_process().await;
    assert!(EventBus::reset_global().is_none());
    let (one, two) = (EventBus::new(), EventBus::new());
    assert!(EventBus::set_global(one.clone()).is_none());
    assert!(EventBus::global().is(&one));
    assert!(EventBus::set_global(two.clone()).is_some_and(|before| before.is(&one)));
    assert!(EventBus::global().is(&two));
    assert!(EventBus::reset_global().is_some_and(|before| before.is(&two)));
    let fresh = EventBus::global();
    assert!(!fresh.is(&one) && !fresh.is(&two));
    assert!(EventBus::reset_global().is_some_and(|before| before.is(&fresh)));
}

#[tokio::test]
async fn b11_the_free_functions_use_the_global_bus() {
    let _alone = Alone::in_the_process().await;
    let (process, scoped) = (EventBus::new(), EventBus::new());
    EventBus::set_global(process.clone());
    let use_all = || async {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let into = [(); 4].map(|()| Arc::clone(&seen));
        let [on, once, on_sync, on_pattern] = into;
        oyez::on(move |tick: Arc<Tick>| {
            on.lock().unwrap().push(("on", tick.0));
            std::future::ready(())
        });
        oyez::once(move |tick: Arc<Tick>| {
            once.lock().unwrap().push(("once", tick.0));
            std::future::ready(())
        });
        oyez::on_sync(move |tick: &Tick, _| on_sync.lock().unwrap().push(("on_sync", tick.0)));
        oyez::on_pattern("global.*", move |event: AnyEvent| {
            on_pattern.lock().unwrap().push(("on_pattern", event.downcast::<Tick>().map_or(0, |tick| tick.0)));
            std::future::ready(())
        })
        .unwrap();
        assert_eq!(oyez::emit(Tick(1)).await.unwrap().delivered(), 4);
        oyez::post(Tick(2)).unwrap();
        assert_eq!(oyez::emit_detached(Tick(3)).unwrap().await.unwrap().delivered(), 3);
        let first = [("on", 1), ("once", 1), ("on_sync", 1), ("on_pattern", 1)];
        let later = [2, 3].into_iter().flat_map(|n| [("on", n), ("on_sync", n), ("on_pattern", n)]);
        assert_eq!(*seen.lock().unwrap(), first.into_iter().chain(later).collect::<Vec<_>>());
    };
    use_all().await;
    assert_eq!((process.listeners().len(), scoped.listeners().len()), (3, 0));
    EventBus::scope(scoped.clone(), use_all()).await;
    assert_eq!((process.listeners().len(), scoped.listeners().len()), (3, 3));
}

#[tokio::test]
async fn b11_setting_the_global_bus_does_not_reach_into_a_scope() {
    let _alone = Alone::in_the_process().await;
    let (scoped, process) = (EventBus::new(), EventBus::new());
    EventBus::scope(scoped.clone(), async {
        EventBus::set_global(process.clone());
        assert!(EventBus::global().is(&scoped));
        EventBus::reset_global();
        assert!(EventBus::global().is(&scoped));
        EventBus::set_global(process.clone());
    })
    .await;
    assert!(EventBus::global().is(&process));
}

#[tokio::test]
async fn b11_scopes_nest_and_end() {
    let (outer, inner) = (EventBus::new(), EventBus::new());
    EventBus::scope(outer.clone(), async {
        for _ in 0..2 {
            EventBus::scope(inner.clone(), async {
                assert!(EventBus::global().is(&inner));
                tokio::task::yield_now().await;
                assert!(EventBus::global().is(&inner));
            })
            .await;
            assert!(EventBus::global().is(&outer));
        }
        // A scope that panics ends too.
        let panics = EventBus::scope(inner.clone(), async { assert!(EventBus::global().is(&outer)) });
        let outcome = futures_util::FutureExt::catch_unwind(std::panic::AssertUnwindSafe(panics)).await;
        assert!(outcome.is_err() && EventBus::global().is(&outer));
    })
    .await;
    assert!(!EventBus::global().is(&outer) && !EventBus::global().is(&inner));
}

#[tokio::test]
async fn b11_scopes_on_one_thread_do_not_mix() {
    let barrier = Arc::new(Barrier::new(3));
    let scopes = [(); 3].map(|()| {
        let (bus, barrier) = (EventBus::new(), Arc::clone(&barrier));
        EventBus::scope(bus.clone(), async move {
            for _ in 0..100 {
                barrier.wait().await;
                assert!(EventBus::global().is(&bus));
                oyez::emit(Tick(1)).await.unwrap();
                assert!(EventBus::global().is(&bus));
            }
        })
    });
    let [one, two, three] = scopes;
    tokio::join!(one, two, three);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b11_scopes_of_parallel_tasks_do_not_mix() {
    let tasks: Vec<_> = (0..200)
        .map(|_| {
            tokio::spawn(async {
                let bus = EventBus::new();
                EventBus::scope(bus.clone(), async {
                    let count = Arc::new(Mutex::new(0));
                    let counted = Arc::clone(&count);
                    oyez::on(move |_: Arc<Tick>| {
                        let counted = Arc::clone(&counted);
                        async move {
                            tokio::task::yield_now().await;
                            *counted.lock().unwrap() += 1;
                            oyez::emit(Tock(1)).await.map(drop)
                        }
                    });
                    for tick in 0..20 {
                        tokio::task::yield_now().await;
                        assert_eq!(oyez::emit(Tick(tick)).await.unwrap().delivered(), 1);
                    }
                    assert!(EventBus::global().is(&bus));
                    assert_eq!((*count.lock().unwrap(), bus.listener_count::<Tick>()), (20, 1));
                })
                .await;
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

/// Which bus each kind of work sees as the global one, by the name of the work.
type Found = Arc<Mutex<Vec<(&'static str, EventBus)>>>;

fn note(found: &Found, what: &'static str) {
    found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((what, EventBus::global()));
}

#[tokio::test]
async fn b11_a_scope_reaches_into_handlers_queues_posts_and_spawned_work() {
    let (scoped, found) = (EventBus::new(), Found::default());
    EventBus::scope(scoped.clone(), async {
        let bus = EventBus::global();
        let into = Arc::clone(&found);
        bus.on_sync(move |_: &Tick, _| note(&into, "sync handler"));
        let into = Arc::clone(&found);
        bus.on(move |_: Arc<Tick>| {
            let into = Arc::clone(&into);
            async move {
                tokio::task::yield_now().await;
                note(&into, "handler");
                oyez::emit_detached(Tock(1))?.await?;
                Ok::<_, EmitError>(())
            }
        });
        let into = Arc::clone(&found);
        bus.subscribe::<Tick>().queued(1, Overflow::Wait).handle(move |_: Arc<Tick>, cx: Context| {
            let into = Arc::clone(&into);
            async move {
                tokio::task::yield_now().await;
                note(&into, "queued handler");
                cx.spawn(async move { note(&into, "spawned by a handler") }).await
            }
        });
        let into = Arc::clone(&found);
        bus.on_pattern("global.tock", move |_: AnyEvent| {
            let into = Arc::clone(&into);
            async move {
                tokio::task::yield_now().await;
                note(&into, "detached");
            }
        })
        .unwrap();
        let into = Arc::clone(&found);
        bus.layer(oyez::layer::from_fn(move |call, next| {
            note(&into, "layer");
            next.run(call)
        }));
        oyez::emit(Tick(1)).await.unwrap();
        oyez::post(Tick(2)).unwrap();
        bus.settle().await;
    })
    .await;
    let found = found.lock().unwrap();
    let times = |what| found.iter().filter(|(found, _)| *found == what).count();
    for what in ["sync handler", "handler", "queued handler", "spawned by a handler", "detached"] {
        assert_eq!(times(what), 2, "{what}");
    }
    assert_eq!(times("layer"), 8);
    for (what, bus) in &*found {
        assert!(bus.is(&scoped), "{what}");
    }
}

#[tokio::test]
async fn b11_a_scope_does_not_reach_into_a_plain_spawn() {
    let scoped = EventBus::new();
    EventBus::scope(scoped.clone(), async {
        assert!(!tokio::spawn(async { EventBus::global() }).await.unwrap().is(&scoped));
        let found = Arc::new(Mutex::new(None));
        let into = Arc::clone(&found);
        oyez::on(move |_: Arc<Tick>| {
            let into = Arc::clone(&into);
            async move {
                let bus = tokio::spawn(async { EventBus::global() }).await.unwrap();
                *into.lock().unwrap() = Some(bus);
            }
        });
        oyez::emit(Tick(1)).await.unwrap();
        assert!(found.lock().unwrap().take().is_some_and(|bus| !bus.is(&scoped)));
    })
    .await;
}

#[tokio::test]
async fn b11_each_event_in_a_queue_brings_its_own_scope() {
    let (bus, found) = (EventBus::new(), Found::default());
    let into = Arc::clone(&found);
    bus.subscribe::<Tick>().queued(8, Overflow::Wait).handle_sync(move |_, _| note(&into, "queued handler"));
    let scopes = [EventBus::new(), EventBus::new()];
    for scope in &scopes {
        EventBus::scope(scope.clone(), async { bus.emit(Tick(1)).await.map(drop) }).await.unwrap();
        bus.emit(Tick(1)).await.unwrap();
    }
    EventBus::scope(scopes[0].clone(), async { bus.emit_json("global.tick", json!(1)).await.map(drop) }).await.unwrap();
    bus.settle().await;
    let found = found.lock().unwrap();
    assert_eq!(found.len(), 5);
    let is = |index: usize, scope: usize| found[index].1.is(&scopes[scope]);
    assert!(is(0, 0) && is(2, 1) && is(4, 0));
    assert!(!is(1, 0) && !is(1, 1) && !is(3, 0) && !is(3, 1), "outside of a scope it is the process-wide bus");
}

#[tokio::test]
async fn b11_a_scope_keeps_no_bus_alive_when_its_work_is_done() {
    #[derive(Debug, Event)]
    #[event(name = "global.held", local)]
    struct Held;

    let (bus, held) = (EventBus::new(), Arc::new(()));
    let inside = Arc::clone(&held);
    bus.subscribe::<Held>().queued(1, Overflow::Wait).handle(move |_: Arc<Held>| {
        let inside = Arc::clone(&inside);
        async move { drop(inside) }
    });
    EventBus::scope(bus.clone(), async {
        oyez::emit(Held).await.unwrap();
        oyez::post(Held).unwrap();
        EventBus::global().settle().await;
    })
    .await;
    tokio::task::yield_now().await;
    assert_eq!(Arc::strong_count(&held), 2);
    drop(bus);
    assert_eq!(Arc::strong_count(&held), 1, "the bus is gone, and its handlers with it");
}
