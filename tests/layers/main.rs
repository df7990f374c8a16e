//! Code around every handler call (promise B16).

mod spans;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use oyez::layer::{Call, Layer, Next, from_fn, trace};
use oyez::{AnyEvent, Context, Event, EventBus, HandlerError, HandlerErrorKind, HandlerResult, Overflow};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "layer.tick")]
struct Tick(u64);

/// What layers and handlers did, in order.
#[derive(Clone, Default)]
struct Steps(Arc<Mutex<Vec<String>>>);

impl Steps {
    fn add(&self, step: impl Into<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(step.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A layer that notes when it begins and ends.
    fn layer(&self, name: &'static str) -> impl Layer + use<> {
        let steps = self.clone();
        from_fn(move |call, next| {
            let steps = steps.clone();
            async move {
                steps.add(format!("{name} in"));
                tokio::task::yield_now().await;
                let result = next.run(call).await;
                steps.add(format!("{name} out"));
                result
            }
        })
    }

    fn handler(&self, name: &'static str) -> impl Fn(Arc<Tick>) -> std::future::Ready<()> + Send + Sync + use<> {
        let steps = self.clone();
        move |_| {
            steps.add(name);
            std::future::ready(())
        }
    }
}

/// Runs the call until it succeeds, `tries` times at most.
fn retry(tries: usize) -> impl Layer {
    from_fn(move |call: Call, next: Next| async move {
        for _ in 1..tries {
            if next.clone().run(call.clone()).await.is_ok() {
                return Ok(());
            }
        }
        next.run(call).await
    })
}

#[tokio::test]
async fn b16_layers_stand_around_each_call_in_the_order_of_their_adding() {
    let (bus, steps) = (EventBus::new(), Steps::default());
    bus.layer(steps.layer("first"));
    bus.subscribe::<Tick>().layer(steps.layer("own 1")).layer(steps.layer("own 2")).handle(steps.handler("handler"));
    bus.layer(steps.layer("second"));
    bus.emit(Tick(1)).await.unwrap();
    let expected = [
        "first in",
        "second in",
        "own 1 in",
        "own 2 in",
        "handler",
        "own 2 out",
        "own 1 out",
        "second out",
        "first out",
    ];
    assert_eq!(steps.take(), expected);
}

#[tokio::test]
async fn b16_a_layer_of_the_bus_stands_around_every_kind_of_handler() {
    for before in [true, false] {
        let (bus, steps) = (EventBus::new(), Steps::default());
        let counted = steps.clone();
        let layer = from_fn(move |call, next| {
            counted.add(call.handler().unwrap_or_default());
            next.run(call)
        });
        let layer = if before {
            bus.layer(layer);
            None
        } else {
            Some(layer)
        };
        bus.subscribe::<Tick>().name("async").handle(async |_: Arc<Tick>| {});
        bus.subscribe::<Tick>().name("sync").handle_sync(|_, _| {});
        bus.subscribe::<Tick>().name("once").once().handle(async |_: Arc<Tick>| {});
        bus.subscribe::<Tick>().name("timeout").timeout(Duration::MAX).handle(async |_: Arc<Tick>| {});
        bus.subscribe::<Tick>().name("filter").filter(|tick| tick.0 == 1).handle(async |_: Arc<Tick>| {});
        bus.subscribe::<Tick>().name("queue").queued(4, Overflow::Wait).handle(async |_: Arc<Tick>| {});
        bus.subscribe_pattern("layer.*").unwrap().name("pattern").handle(async |_: AnyEvent| {});
        bus.subscribe_pattern("*").unwrap().name("sync pattern").handle_sync(|_, _| {});
        layer.into_iter().for_each(|layer| bus.layer(layer));

        let mut all = ["async", "sync", "once", "timeout", "filter", "pattern", "sync pattern", "queue"].to_vec();
        bus.emit(Tick(1)).await.unwrap();
        bus.settle().await;
        assert_eq!(steps.take(), all);
        all.retain(|name| !["once", "filter"].contains(name));
        bus.emit_json("layer.tick", json!(2)).await.unwrap();
        bus.settle().await;
        assert_eq!(steps.take(), all);
        bus.emit_json("layer.other", json!(2)).await.unwrap();
        assert_eq!(steps.take(), ["pattern", "sync pattern"]);
    }
}

#[tokio::test]
async fn b16_a_layer_that_is_added_during_an_emit_stands_around_the_next_one() {
    let (bus, steps) = (EventBus::new(), Steps::default());
    let (own, later) = (bus.clone(), steps.clone());
    bus.on_sync(move |tick: &Tick, _| {
        if tick.0 == 1 {
            own.layer(later.layer("layer"));
        }
    });
    bus.on(steps.handler("handler"));
    bus.emit(Tick(1)).await.unwrap();
    assert_eq!(steps.take(), ["handler"]);
    bus.emit(Tick(2)).await.unwrap();
    assert_eq!(steps.take().iter().filter(|step| *step == "layer in").count(), 2);
}

#[tokio::test]
async fn b16_a_layer_of_a_subscription_stands_around_its_handler_only() {
    let (bus, steps) = (EventBus::new(), Steps::default());
    bus.on(steps.handler("other"));
    let with_layer = bus.subscribe::<Tick>().layer(steps.layer("own"));
    with_layer.handle(steps.handler("handler"));
    bus.emit(Tick(1)).await.unwrap();
    assert_eq!(steps.take(), ["other", "own in", "handler", "own out"]);
}

#[tokio::test]
async fn b16_layered_handlers_still_run_side_by_side() {
    let (bus, barrier) = (EventBus::new(), Arc::new(tokio::sync::Barrier::new(3)));
    bus.layer(from_fn(|call, next| next.run(call)));
    for _ in 0..3 {
        bus.with(Arc::clone(&barrier)).on(async |barrier: Arc<tokio::sync::Barrier>, _: Arc<Tick>| {
            barrier.wait().await;
        });
    }
    assert_eq!(bus.emit(Tick(1)).await.unwrap().delivered(), 3);
}

#[tokio::test]
async fn b16_a_layer_can_run_the_call_again() {
    let (bus, tries) = (EventBus::new(), Arc::new(AtomicU64::new(0)));
    let counted = Arc::clone(&tries);
    let flaky = bus.subscribe::<Tick>().layer(retry(5)).handle(move |tick: Arc<Tick>| {
        let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
        async move {
            tokio::task::yield_now().await;
            assert_ne!(number, 1, "the first try panics");
            if number < tick.0 { Err("not yet") } else { Ok(()) }
        }
    });
    let emitted = bus.emit(Tick(4)).await.unwrap();
    assert_eq!((emitted.delivered(), emitted.failures().len(), tries.swap(0, Ordering::SeqCst)), (1, 0, 4));
    let emitted = bus.emit(Tick(9)).await.unwrap();
    assert_eq!((emitted.delivered(), emitted.failures().len(), tries.load(Ordering::SeqCst)), (0, 1, 5));
    assert_eq!(emitted.failures()[0].reason(), "the handler returned an error: not yet");
    let seen = &bus.listeners()[0];
    assert_eq!((seen.id, seen.calls, seen.failures), (flaky.id(), 2, 1), "a call is a turn, however many tries it has");
}

#[tokio::test(start_paused = true)]
async fn b16_each_try_has_the_full_timeout() {
    let bus = EventBus::new();
    bus.layer(retry(3));
    bus.subscribe::<Tick>().timeout(Duration::from_secs(2)).handle(async |_: Arc<Tick>| {
        std::future::pending::<()>().await;
    });
    let began = tokio::time::Instant::now();
    let emitted = bus.emit(Tick(1)).await.unwrap();
    assert_eq!(emitted.failures()[0].error().kind(), HandlerErrorKind::TimedOut);
    assert_eq!(began.elapsed().as_secs(), 6);
}

#[tokio::test]
async fn b16_a_panic_in_a_layer_is_a_failure_of_that_call_only() {
    let (bus, steps) = (EventBus::new(), Steps::default());
    bus.subscribe::<Tick>()
        .layer(from_fn(|call: Call, next: Next| {
            assert_ne!(call.event().downcast::<Tick>().map(|tick| tick.0), Some(1), "before its future");
            next.run(call)
        }))
        .handle(steps.handler("first"));
    bus.subscribe::<Tick>()
        .layer(from_fn(|call: Call, next: Next| async move {
            let result = next.run(call).await;
            tokio::task::yield_now().await;
            assert!(result.is_err(), "after the handler");
            result
        }))
        .handle(steps.handler("second"));
    bus.on(steps.handler("third"));
    for _ in 0..2 {
        let emitted = bus.emit(Tick(1)).await.unwrap();
        assert_eq!((emitted.delivered(), emitted.failures().len()), (1, 2));
        assert!(emitted.failures().iter().all(|failure| failure.error().kind() == HandlerErrorKind::Panicked));
        assert_eq!(steps.take(), ["second", "third"]);
    }
}

#[tokio::test]
async fn b16_a_layer_sees_how_the_handler_failed_and_may_decide_otherwise() {
    let (bus, kinds) = (EventBus::new(), Arc::new(Mutex::new(Vec::new())));
    let seen = Arc::clone(&kinds);
    bus.layer(from_fn(move |call, next: Next| {
        let seen = Arc::clone(&seen);
        async move {
            let result = next.run(call).await;
            seen.lock().unwrap().push(result.as_ref().err().map(HandlerError::kind));
            match result {
                Ok(()) => Err(HandlerError::failed("too good")),
                Err(_) => Ok(()),
            }
        }
    }));
    bus.on(async |_: Arc<Tick>| Err("it failed"));
    bus.on_sync(|tick: &Tick, _| assert_ne!(tick.0, 1));
    bus.on(async |tick: Arc<Tick>| assert_ne!(tick.0, 1));
    bus.on(async |_: Arc<Tick>| {});
    let emitted = bus.emit(Tick(1)).await.unwrap();
    assert_eq!((emitted.delivered(), emitted.failures().len()), (3, 1));
    assert_eq!(emitted.failures()[0].reason(), "the handler returned an error: too good");
    let (failed, panicked) = (Some(HandlerErrorKind::Failed), Some(HandlerErrorKind::Panicked));
    assert_eq!(*kinds.lock().unwrap(), [failed, panicked, panicked, None]);
}

#[tokio::test]
async fn b16_a_layer_may_leave_the_handler_out() {
    let (bus, steps) = (EventBus::new(), Steps::default());
    bus.layer(from_fn(|_, _| std::future::ready(HandlerResult::Ok(()))));
    bus.on(steps.handler("handler"));
    assert_eq!(bus.emit(Tick(1)).await.unwrap().delivered(), 1);
    assert_eq!(steps.take(), Vec::<String>::new());
}

#[tokio::test]
async fn b16_a_call_says_which_event_goes_to_which_handler() {
    let (bus, seen) = (EventBus::new(), Arc::new(Mutex::new(Vec::new())));
    let into = Arc::clone(&seen);
    bus.layer(from_fn(move |call: Call, next: Next| {
        let json = call.event().json();
        into.lock().unwrap().push((
            call.subscription(),
            call.handler().map(str::to_owned),
            call.context().id().clone(),
            json,
        ));
        next.run(call)
    }));
    let ids = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&ids);
    let named = bus.subscribe::<Tick>().name("named").handle_sync(move |_, cx: &Context| {
        into.lock().unwrap().push(cx.id().clone());
    });
    let unnamed = bus.on_pattern("**", async |_: AnyEvent| {}).unwrap();
    bus.emit(Tick(7)).await.unwrap();
    let id = ids.lock().unwrap()[0].clone();
    let expected =
        [(named.id(), Some("named".to_owned()), id.clone(), Some(json!(7))), (unnamed.id(), None, id, Some(json!(7)))];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn b16_what_a_layered_handler_emits_names_its_cause() {
    let (bus, depths) = (EventBus::new(), Arc::new(Mutex::new(Vec::new())));
    let (own, in_layer) = (bus.clone(), bus.clone());
    bus.on(move |_: Arc<Tick>| {
        let own = own.clone();
        async move { own.emit_json("layer.of_handler", json!(1)).await.map(drop) }
    });
    let into = Arc::clone(&depths);
    bus.on_pattern("layer.*", move |event: AnyEvent, cx: Context| {
        into.lock().unwrap().push((event.name().to_owned(), cx.depth(), cx.causation_id().is_some()));
        std::future::ready(())
    })
    .unwrap();
    bus.layer(from_fn(move |call: Call, next: Next| {
        let bus = in_layer.clone();
        async move {
            if call.event().name() == "layer.tick" && call.subscription().to_string() == "1" {
                tokio::task::yield_now().await;
                bus.emit_json("layer.of_layer", json!(1)).await.unwrap();
            }
            next.run(call).await
        }
    }));
    bus.emit(Tick(1)).await.unwrap();
    let mut seen = depths.lock().unwrap().clone();
    seen.sort();
    let expected = [("layer.of_handler", 1, true), ("layer.of_layer", 1, true), ("layer.tick", 0, false)];
    assert_eq!(seen, expected.map(|(name, depth, caused)| (name.to_owned(), depth, caused)));
}

#[tokio::test(start_paused = true)]
async fn b16_a_call_from_a_queue_has_its_layers_when_the_bus_is_gone() {
    let (bus, steps) = (EventBus::new(), Steps::default());
    bus.layer(steps.layer("layer"));
    bus.subscribe::<Tick>().queued(4, Overflow::Wait).handle(steps.handler("handler"));
    bus.emit(Tick(1)).await.unwrap();
    drop(bus);
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    assert_eq!(steps.take(), ["layer in", "handler", "layer out"]);
}

#[tokio::test]
async fn b16_layers_of_others_cost_an_emit_nothing() {
    #[derive(Debug, Event)]
    #[event(name = "layer.plain", local)]
    struct Plain;

    let (plain, layered) = (EventBus::new(), EventBus::new());
    layered.subscribe::<Tick>().layer(trace()).handle(async |_: Arc<Tick>| {});
    let mut task = std::task::Context::from_waker(std::task::Waker::noop());
    let mut allocations = Vec::new();
    for bus in [&plain, &layered] {
        bus.on_sync(|_: &Plain, _| {});
        bus.on(async |_: Arc<Plain>| {});
        let mut emit = || {
            let mut emit = std::pin::pin!(bus.emit(Plain));
            assert!(emit.as_mut().poll(&mut task).is_ready());
        };
        emit();
        allocations.push(allocation_counter::measure(emit).count_total);
    }
    assert_eq!(allocations[0], allocations[1]);
}
