//! `Wait` inside of a handler never waits for the handler's own queue, directly or in a circle.

use std::sync::{Arc, Mutex, PoisonError};

use oyez::{AnyEvent, Context, Event, EventBus, Overflow, Subscription};

use crate::{Gated, Job, listener, not_hanging};

#[derive(Debug, Event)]
#[event(name = "queue.other", local)]
struct Other;

/// Subscribes a handler to `E`, queued with one place, that emits `make()` so many times.
fn emits<E: Event, F: Event>(bus: &EventBus, on: &EventBus, times: usize, make: fn() -> F) -> Subscription {
    let on = on.clone();
    bus.subscribe::<E>().queued(1, Overflow::Wait).handle(move |_: Arc<E>| {
        let on = on.clone();
        async move {
            for _ in 0..times {
                on.emit(make()).await?;
            }
            Ok::<_, oyez::EmitError>(())
        }
    })
}

async fn settles(bus: &EventBus) {
    not_hanging("the bus", bus.settle()).await;
}

/// A handler of `Job` with one place that emits more events than there is room for, each by `emit`.
async fn own_queue<F, Fut>(bus: &EventBus, emit: F) -> oyez::Listener
where
    F: Fn(EventBus, Context) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    let (own, once) = (bus.clone(), Arc::new(Mutex::new(true)));
    let subscription = bus.subscribe::<Job>().queued(1, Overflow::Wait).handle(move |_: Arc<Job>, cx: Context| {
        let first = std::mem::replace(&mut *once.lock().unwrap_or_else(PoisonError::into_inner), false);
        let (own, emit) = (own.clone(), emit.clone());
        async move {
            for _ in 0..if first { 3 } else { 0 } {
                emit(own.clone(), cx.clone()).await;
            }
        }
    });
    assert!(bus.emit(Job(0)).await.is_ok());
    settles(bus).await;
    listener(bus, &subscription)
}

#[tokio::test(start_paused = true)]
async fn b14_a_handler_that_emits_into_its_own_full_queue_drops_the_newest() {
    let seen = own_queue(&EventBus::new(), |bus, _| async move { drop(bus.emit(Job(1)).await.unwrap()) }).await;
    assert_eq!((seen.calls, seen.dropped, seen.failures), (2, 2, 0));
}

#[tokio::test(start_paused = true)]
async fn b14_an_emit_through_a_plain_handler_into_the_own_queue_drops_the_newest() {
    let bus = EventBus::new();
    let inner = bus.clone();
    bus.on(move |_: Arc<Other>| {
        let inner = inner.clone();
        async move {
            tokio::task::yield_now().await;
            drop(inner.emit(Job(1)).await.unwrap());
        }
    });
    let seen = own_queue(&bus, |bus, _| async move { drop(bus.emit(Other).await.unwrap()) }).await;
    assert_eq!((seen.calls, seen.dropped, seen.failures), (2, 2, 0));
}

#[tokio::test(start_paused = true)]
async fn b14_an_emit_from_a_task_of_the_handler_into_the_own_queue_drops_the_newest() {
    let bus = EventBus::new();
    let spawned = |bus: EventBus, cx: Context| async move {
        let emit = cx.spawn(async move { bus.emit(Job(1)).await.map(drop) });
        emit.await.unwrap().unwrap();
    };
    let seen = own_queue(&bus, spawned).await;
    assert_eq!((seen.calls, seen.dropped, seen.failures), (2, 2, 0));
}

#[tokio::test(start_paused = true)]
async fn b14_an_untyped_emit_into_the_own_queue_drops_the_newest() {
    let bus = EventBus::new();
    let inner = bus.clone();
    let subscription =
        bus.subscribe_pattern("loop.*").unwrap().queued(1, Overflow::Wait).handle(move |event: AnyEvent| {
            let inner = inner.clone();
            async move {
                if event.name() == "loop.first" {
                    for _ in 0..3 {
                        inner.emit_json("loop.next", serde_json::json!(1)).await.unwrap();
                    }
                }
            }
        });
    bus.emit_json("loop.first", serde_json::json!(0)).await.unwrap();
    settles(&bus).await;
    let seen = listener(&bus, &subscription);
    assert_eq!((seen.calls, seen.dropped, seen.failures), (2, 2, 0));
}

#[tokio::test(start_paused = true)]
async fn b14_what_a_handler_posts_into_its_own_queue_waits_without_a_drop() {
    let seen = own_queue(&EventBus::new(), |bus, _| async move { bus.post(Job(1)).unwrap() }).await;
    assert_eq!((seen.calls, seen.dropped, seen.failures), (4, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn b14_a_handler_that_awaits_a_detached_emit_into_its_own_queue_does_not_wait_for_ever() {
    let detached = |bus: EventBus, _| async move { drop(bus.emit_detached(Job(1)).unwrap().await) };
    let seen = own_queue(&EventBus::new(), detached).await;
    assert_eq!((seen.calls + seen.dropped, seen.failures), (4, 0));
}

#[tokio::test(start_paused = true)]
async fn b14_two_queues_that_fill_each_other_never_wait_for_each_other() {
    let bus = EventBus::builder().max_depth(8).build();
    let first = emits::<Job, Other>(&bus, &bus, 3, || Other);
    let second = emits::<Other, Job>(&bus, &bus, 3, || Job(0));
    for _ in 0..3 {
        drop(not_hanging("an emit from outside", bus.emit(Job(0))).await.unwrap());
    }
    settles(&bus).await;
    let (first, second) = (listener(&bus, &first), listener(&bus, &second));
    assert!(first.dropped + second.dropped > 0, "there was more to do than room for it");
    assert_eq!((first.queue_depth, second.queue_depth), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn b14_queues_of_two_buses_never_wait_for_each_other() {
    let (one, two) = (EventBus::builder().max_depth(8).build(), EventBus::builder().max_depth(8).build());
    let first = emits::<Job, Other>(&one, &two, 3, || Other);
    let second = emits::<Other, Job>(&two, &one, 3, || Job(0));
    for _ in 0..3 {
        drop(not_hanging("an emit from outside", one.emit(Job(0))).await.unwrap());
    }
    settles(&one).await;
    settles(&two).await;
    settles(&one).await;
    let (first, second) = (listener(&one, &first), listener(&two, &second));
    assert!(first.dropped + second.dropped > 0, "there was more to do than room for it");
    assert_eq!((first.queue_depth, second.queue_depth), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b14_a_circle_of_three_queues_never_stops_on_many_threads() {
    #[derive(Debug, Event)]
    #[event(name = "queue.third", local)]
    struct Third;

    for _ in 0..200 {
        let bus = EventBus::builder().max_depth(6).build();
        emits::<Job, Other>(&bus, &bus, 2, || Other);
        emits::<Other, Third>(&bus, &bus, 2, || Third);
        emits::<Third, Job>(&bus, &bus, 2, || Job(0));
        let emitters: Vec<_> = (0..3)
            .map(|_| {
                let bus = bus.clone();
                tokio::spawn(async move {
                    for _ in 0..3 {
                        bus.emit(Job(0)).await.unwrap();
                    }
                })
            })
            .collect();
        for emitter in emitters {
            not_hanging("an emitter", emitter).await.unwrap();
        }
        settles(&bus).await;
        assert!(bus.listeners().iter().all(|listener| listener.queue_depth == 0 && listener.calls > 0));
    }
}

#[tokio::test(start_paused = true)]
async fn b14_a_handler_waits_for_another_queue_that_does_not_wait_for_it() {
    let (bus, gated) = (EventBus::new(), Gated::closed());
    let slow = bus.subscribe::<Job>().queued(1, Overflow::Wait).handle_with(Arc::clone(&gated), Gated::handle);
    let busy = emits::<Other, Job>(&bus, &bus, 5, || Job(7));
    bus.emit(Other).await.unwrap();
    not_hanging("the first call", gated.until_started(1)).await;
    gated.release();
    settles(&bus).await;
    assert_eq!((gated.started(), listener(&bus, &slow).dropped), (vec![7; 5], 0));
    assert_eq!((listener(&bus, &busy).calls, listener(&bus, &busy).failures), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn b14_a_wait_that_has_ended_refuses_no_later_wait_the_other_way_round() {
    #[derive(Debug, Event)]
    #[event(name = "queue.ask", local)]
    struct Ask {
        jobs: u64,
    }

    let bus = EventBus::new();
    let (to_jobs, to_asks) = (bus.clone(), bus.clone());
    let jobs = bus.subscribe::<Job>().queued(1, Overflow::Wait).handle(move |job: Arc<Job>| {
        let to_asks = to_asks.clone();
        async move {
            for _ in 0..job.0 {
                drop(to_asks.emit(Ask { jobs: 0 }).await.unwrap());
            }
        }
    });
    let asks = bus.subscribe::<Ask>().queued(1, Overflow::Wait).handle(move |ask: Arc<Ask>| {
        let to_jobs = to_jobs.clone();
        async move {
            for _ in 0..ask.jobs {
                drop(to_jobs.emit(Job(0)).await.unwrap());
            }
        }
    });
    bus.emit(Ask { jobs: 5 }).await.unwrap();
    settles(&bus).await;
    bus.emit(Job(5)).await.unwrap();
    settles(&bus).await;
    let (jobs, asks) = (listener(&bus, &jobs), listener(&bus, &asks));
    assert_eq!((jobs.calls, jobs.dropped), (6, 0));
    assert_eq!((asks.calls, asks.dropped), (6, 0));
}
