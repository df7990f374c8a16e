//! Events that are taken rather than handled: streams (promise B14) and `wait_for` (promise B13).

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures_util::{FutureExt, Stream, StreamExt};
use oyez::{Event, EventBus, EventStream, Lagged, NoMoreEvents};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "stream.tick")]
struct Tick(u64);

/// What a stream yields until it ends: each event, and how many were lacking in all.
async fn drain(mut stream: EventStream<Arc<Tick>>) -> (Vec<u64>, u64) {
    let (mut received, mut lagged) = (Vec::new(), 0);
    while let Some(next) = stream.next().await {
        match next {
            Ok(tick) => received.push(tick.0),
            Err(Lagged(lacking)) => {
                assert!(lacking > 0);
                lagged += lacking;
            }
        }
    }
    (received, lagged)
}

#[expect(clippy::panic, reason = "the test fails here")]
async fn not_hanging<F: Future>(what: &str, future: F) -> F::Output {
    let limit = Duration::from_secs(10);
    tokio::time::timeout(limit, future).await.unwrap_or_else(|_| panic!("{what} hangs"))
}

#[tokio::test]
async fn b14_a_full_stream_says_how_many_it_lacks_and_goes_on() {
    let bus = EventBus::new();
    let mut stream = bus.stream::<Tick>(3);
    for tick in 0..10 {
        assert_eq!(bus.emit(Tick(tick)).await.unwrap().delivered(), 1);
    }
    assert_eq!(stream.next().await.unwrap().unwrap_err(), Lagged(7));
    assert_eq!(stream.next().await.unwrap().unwrap().0, 7);
    // One has left, so there is room for one before the next is lost.
    bus.emit(Tick(10)).await.unwrap();
    bus.emit(Tick(11)).await.unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap_err(), Lagged(1));
    for tick in 9..12 {
        assert_eq!(stream.next().await.unwrap().unwrap().0, tick);
    }
    assert!(stream.next().now_or_never().is_none(), "it is not at its end");
}

#[tokio::test]
async fn b14_a_stream_of_no_places_has_one() {
    let bus = EventBus::new();
    let stream = bus.stream::<Tick>(0);
    for tick in 0..3 {
        bus.emit(Tick(tick)).await.unwrap();
    }
    bus.remove_all();
    assert_eq!(drain(stream).await, (vec![2], 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b14_received_and_lagged_add_up_to_what_racing_emitters_emitted() {
    const EMITTERS: u64 = 4;
    const EACH: u64 = 5_000;
    for capacity in [1, 7, 1024] {
        let bus = EventBus::new();
        let reader = tokio::spawn(drain(bus.stream(capacity)));
        let emitters: Vec<_> = (0..EMITTERS)
            .map(|emitter| {
                let bus = bus.clone();
                tokio::spawn(async move {
                    for n in 0..EACH {
                        bus.emit(Tick(emitter * EACH + n)).await.unwrap();
                        if n % 64 == 0 {
                            tokio::task::yield_now().await;
                        }
                    }
                })
            })
            .collect();
        for emitter in emitters {
            emitter.await.unwrap();
        }
        assert_eq!(bus.remove_all(), 1);
        let (received, lagged) = not_hanging("the reader", reader).await.unwrap();
        assert_eq!(received.len() as u64 + lagged, EMITTERS * EACH, "capacity {capacity}");
        for emitter in 0..EMITTERS {
            let own = received.iter().filter(|tick| **tick / EACH == emitter);
            assert!(own.is_sorted_by(|a, b| a < b), "each of an emitter's events at most once, and in order");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b14_a_waiting_reader_is_woken_by_each_event() {
    let bus = EventBus::new();
    let (mut there, mut back) = (bus.stream::<Tick>(1), bus.subscribe_pattern("stream.tock").unwrap().stream(1));
    let echo = tokio::spawn({
        let bus = bus.clone();
        async move {
            while let Some(Ok(tick)) = there.next().await {
                bus.emit_json("stream.tock", json!(tick.0)).await.unwrap();
            }
        }
    });
    for tick in 0..10_000 {
        bus.emit(Tick(tick)).await.unwrap();
        let tock = not_hanging("the echo", back.next()).await.unwrap().unwrap();
        assert_eq!(tock.json(), Some(json!(tick)));
    }
    bus.remove_all();
    not_hanging("the echo", echo).await.unwrap();
}

#[tokio::test]
async fn b14_the_last_task_that_polled_a_stream_is_woken() {
    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    let bus = EventBus::new();
    let mut stream = pin!(bus.stream::<Tick>(1));
    let (first, last) = (Arc::new(Count::default()), Arc::new(Count::default()));
    for count in [&first, &last] {
        let waker = Waker::from(Arc::clone(count));
        assert!(stream.as_mut().poll_next(&mut Context::from_waker(&waker)).is_pending());
    }
    bus.emit(Tick(1)).await.unwrap();
    assert_eq!((first.0.load(Ordering::SeqCst), last.0.load(Ordering::SeqCst)), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn b14_a_stream_ends_with_its_subscription_after_what_it_keeps() {
    type Removal = fn(EventBus, &EventStream<Arc<Tick>>) -> Option<EventBus>;
    let removals: [Removal; 5] = [
        |bus, _| (bus.remove_all() == 1).then_some(bus),
        |bus, _| (bus.remove_all_of::<Tick>() == 1).then_some(bus),
        |bus, stream| bus.off(stream.subscription().id()).then_some(bus),
        |bus, stream| stream.subscription().off().then_some(bus),
        |_last_handle, _| None,
    ];
    for (number, remove) in removals.into_iter().enumerate() {
        let bus = EventBus::new();
        let mut stream = bus.stream::<Tick>(2);
        let waiting = tokio::spawn(drain(bus.stream(2)));
        bus.off(bus.listeners()[1].id);
        assert_eq!(not_hanging("the reader that waits", waiting).await.unwrap(), (vec![], 0));

        for tick in 0..3 {
            bus.emit(Tick(tick)).await.unwrap();
        }
        assert_eq!(remove(bus, &stream).is_some(), number < 4);
        assert_eq!(stream.next().await.unwrap().unwrap_err(), Lagged(1));
        for tick in 1..3 {
            assert_eq!(stream.next().await.unwrap().unwrap().0, tick);
        }
        for _ in 0..3 {
            assert!(not_hanging("the end", stream.next()).await.is_none());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn b14_the_end_of_the_bus_wakes_a_waiting_reader() {
    let bus = EventBus::new();
    let (stream, wait) = (bus.stream::<Tick>(1), bus.wait_for::<Tick>(|_| true));
    let (reader, waiter) = (tokio::spawn(drain(stream)), tokio::spawn(wait));
    tokio::task::yield_now().await;
    drop(bus);
    assert_eq!(not_hanging("the reader", reader).await.unwrap(), (vec![], 0));
    assert_eq!(not_hanging("the waiter", waiter).await.unwrap().unwrap_err(), NoMoreEvents);
}

#[tokio::test]
async fn b14_dropping_a_stream_removes_its_subscription_and_frees_its_events() {
    let (bus, held) = (EventBus::new(), Arc::new(()));

    #[derive(Debug, Event)]
    #[event(name = "stream.held", local)]
    struct Held {
        _held: Arc<()>,
    }

    let stream = bus.stream::<Held>(8);
    for _ in 0..16 {
        bus.emit(Held { _held: Arc::clone(&held) }).await.unwrap();
    }
    assert_eq!((bus.listener_count::<Held>(), Arc::strong_count(&held)), (1, 9));
    drop(stream);
    assert_eq!((bus.listener_count::<Held>(), bus.listeners().len(), Arc::strong_count(&held)), (0, 0, 1));
    assert_eq!(bus.emit(Held { _held: held }).await.unwrap().delivered(), 0);
}

#[tokio::test]
async fn b14_a_stream_takes_the_options_of_a_subscription() {
    let bus = EventBus::new();
    let even = bus.subscribe::<Tick>().name("even").filter(|tick| tick.0 % 2 == 0).stream(2);
    let first = bus.subscribe::<Tick>().once().stream(8);
    assert_eq!(even.subscription().name(), Some("even"));
    for tick in 0..9 {
        bus.emit(Tick(tick)).await.unwrap();
    }
    assert_eq!(bus.listener_count::<Tick>(), 1);
    bus.remove_all();
    assert_eq!(drain(first).await, (vec![0], 0));
    assert_eq!(drain(even).await, (vec![6, 8], 3), "what the filter kept out is not lacking");
}

#[tokio::test]
async fn b14_a_stream_gets_events_that_come_as_json() {
    let bus = EventBus::new();
    let (typed, any) = (bus.stream::<Tick>(4), bus.subscribe_pattern("stream.**").unwrap().stream(4));
    bus.emit(Tick(1)).await.unwrap();
    bus.emit_json("stream.tick", json!(2)).await.unwrap();
    bus.emit_json("stream.other", json!(3)).await.unwrap();
    bus.remove_all();
    assert_eq!(drain(typed).await, (vec![1, 2], 0));
    let any: Vec<_> = any.map(|event| event.unwrap().json().unwrap()).collect().await;
    assert_eq!(any, [json!(1), json!(2), json!(3)]);
}

#[tokio::test(start_paused = true)]
async fn b13_wait_for_gives_the_next_event_that_fits() {
    let bus = EventBus::new();
    // Subscribed by the call, not by the first poll.
    let wait = bus.wait_for::<Tick>(|tick| tick.0 > 1);
    assert_eq!(bus.listener_count::<Tick>(), 1);
    for tick in 0..4 {
        bus.emit(Tick(tick)).await.unwrap();
    }
    assert_eq!(bus.listener_count::<Tick>(), 0, "it is gone with the event that fits");
    assert_eq!(not_hanging("the wait", wait).await.unwrap().0, 2);

    let wait = bus.wait_for::<Tick>(|_| true);
    bus.remove_all();
    assert_eq!(not_hanging("the wait", wait).await.unwrap_err(), NoMoreEvents);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b13_wait_for_takes_one_event_and_misses_none_among_racing_emitters() {
    for _ in 0..2_000 {
        let bus = EventBus::new();
        let wait = bus.wait_for::<Tick>(|tick| tick.0 >= 2);
        let emitters: Vec<_> = (0..4)
            .map(|tick| {
                let bus = bus.clone();
                tokio::spawn(async move { bus.emit(Tick(tick)).await.unwrap().delivered() })
            })
            .collect();
        assert!(not_hanging("the wait", wait).await.unwrap().0 >= 2);
        let mut delivered = 0;
        for emitter in emitters {
            delivered += emitter.await.unwrap();
        }
        assert_eq!((delivered, bus.listener_count::<Tick>()), (1, 0));
    }
}

#[tokio::test]
async fn b13_a_wait_that_loses_a_race_100_000_times_leaves_nothing() {
    let bus = EventBus::new();
    for round in 0..100_000 {
        let lost = tokio::select! {
            biased;
            // Polled once, so that it has everything that a waiting future has.
            _ = bus.wait_for::<Tick>(|_| true) => false,
            () = std::future::ready(()) => true,
        };
        assert!(lost);
        if round % 10_000 == 0 {
            assert_eq!(bus.emit(Tick(round)).await.unwrap().delivered(), 0);
        }
    }
    assert_eq!((bus.listener_count::<Tick>(), bus.listeners().len(), bus.stats().subscriptions), (0, 0, 0));
}

#[tokio::test]
async fn b13_a_wait_that_is_dropped_after_its_event_came_lets_go_of_it() {
    let bus = EventBus::new();
    let kept = bus.stream::<Tick>(1);
    let mut wait = bus.wait_for::<Tick>(|_| true);
    assert!(poll_fn(|task| Poll::Ready(wait.poll_unpin(task).is_pending())).await);
    bus.emit(Tick(1)).await.unwrap();
    drop(wait);
    let mut kept = kept;
    let event = kept.next().await.unwrap().unwrap();
    assert_eq!(Arc::strong_count(&event), 1);
}
