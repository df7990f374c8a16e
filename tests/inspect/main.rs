//! What can be seen of a bus from outside, and that nothing is left behind (promise B13).

mod exact;
mod left_behind;

use std::error::Error;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use oyez::{AnyEvent, Event, EventBus, EventMap, Listener, Overflow, Subscription};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "look.tick")]
struct Tick(u64);

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "look.tock")]
struct Tock(u64);

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "look.shared")]
struct Shared<T>(T);

/// What the bus says of one subscription.
#[expect(clippy::expect_used, reason = "the test fails here")]
fn listener(bus: &EventBus, subscription: &Subscription) -> Listener {
    let found = bus.listeners().into_iter().find(|listener| listener.id == subscription.id());
    found.expect("the subscription is on")
}

/// Polls a future once; true if it waits.
async fn waits<F: Future>(future: &mut Pin<Box<F>>) -> bool {
    poll_fn(|task| Poll::Ready(future.as_mut().poll(task).is_pending())).await
}

#[tokio::test]
async fn b13_listener_count_is_what_an_event_reaches() {
    #[derive(Debug, EventMap)]
    enum Both {
        Tick(Arc<Tick>),
        Tock(Arc<Tock>),
    }

    let bus = EventBus::new();
    let counts = || (bus.listener_count::<Tick>(), bus.listener_count::<Tock>());
    assert_eq!(counts(), (0, 0));
    let all = bus.on_pattern("*", async |_: AnyEvent| {}).unwrap();
    assert_eq!(counts(), (1, 1), "of a type that was never seen, too");
    let tick = bus.on_sync(|_: &Tick, _| {});
    assert_eq!(counts(), (2, 1));
    let once = bus.once(async |tock: Arc<Tock>| assert_eq!(tock.0, 1));
    let stream = bus.stream::<Tick>(1);
    let map = bus.on_map(async |event: Both| match event {
        Both::Tick(tick) => assert_eq!(tick.0, 1),
        Both::Tock(tock) => assert_eq!(tock.0, 1),
    });
    assert_eq!(counts(), (4, 3));
    assert_eq!(bus.emit(Tick(1)).await.unwrap().delivered(), 4);
    assert_eq!(bus.emit(Tock(1)).await.unwrap().delivered(), 3);
    assert_eq!((counts(), once.is_on()), ((4, 2), false));
    assert!(tick.off() && map.off());
    drop(stream);
    assert_eq!(counts(), (1, 1));
    assert!(all.off());
    assert_eq!(counts(), (0, 0));
}

#[tokio::test]
async fn b13_listener_count_of_a_name_is_of_every_type_and_pattern() {
    let bus = EventBus::new();
    bus.on_sync(|_: &Shared<u8>, _| {});
    bus.on_sync(|_: &Shared<String>, _| {});
    bus.on_pattern("look.*", async |_: AnyEvent| {}).unwrap();
    let literal = bus.on_pattern("look.shared", async |_: AnyEvent| {}).unwrap();
    bus.on_pattern("other.*", async |_: AnyEvent| {}).unwrap();
    assert_eq!((bus.listener_count::<Shared<u8>>(), bus.listener_count::<Shared<u16>>()), (3, 2));
    assert_eq!(bus.listener_count_of("look.shared"), 4);
    assert_eq!((bus.listener_count_of("look.never.seen"), bus.listener_count_of("other.x")), (0, 1));
    assert!(literal.off());
    assert_eq!(bus.listener_count_of("look.shared"), 3);
}

#[tokio::test]
async fn b13_remove_all_takes_everything_and_says_how_many() {
    let bus = EventBus::new();
    for _ in 0..3 {
        bus.on_sync(|_: &Tick, _| {});
    }
    bus.on_sync(|_: &Tock, _| {});
    bus.on_pattern("*", async |_: AnyEvent| {}).unwrap();
    assert_eq!(bus.remove_all_of::<Tick>(), 3);
    assert_eq!(bus.remove_all_of::<Tick>(), 0);
    assert_eq!((bus.listener_count::<Tick>(), bus.listener_count::<Tock>()), (1, 2), "patterns stay");
    assert_eq!(bus.remove_all(), 2);
    assert_eq!((bus.remove_all(), bus.listeners().len(), bus.stats().subscriptions), (0, 0, 0));
    assert_eq!(bus.emit(Tick(1)).await.unwrap().delivered(), 0);
    assert_eq!(bus.emit_json("look.tock", json!(1)).await.unwrap().delivered(), 0);
}

#[tokio::test]
async fn b13_listeners_tell_name_target_calls_failures_and_the_last_error() {
    #[derive(Debug)]
    struct Outer(std::num::ParseIntError);

    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the number is not one")
        }
    }

    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    let bus = EventBus::new();
    let unnamed = bus.on_sync(|_: &Tick, _| {});
    let fails = bus.subscribe::<Tick>().name("crm").handle(async |tick: Arc<Tick>| match tick.0 {
        1 => "x".parse::<i32>().map(drop).map_err(Outer),
        2 => Ok(()),
        n => unreachable!("tick {n}"),
    });
    let pattern = bus.subscribe_pattern("look.**").unwrap().name("audit").handle_sync(|_, _| {});
    for listener in bus.listeners() {
        assert_eq!((listener.calls, listener.failures, listener.cancelled, listener.dropped), (0, 0, 0, 0));
        assert!(listener.last_error.is_none() && listener.queue_depth == 0);
    }
    for tick in [1, 2] {
        bus.emit(Tick(tick)).await.unwrap();
    }
    let seen = bus.listeners();
    let ids: Vec<_> = seen.iter().map(|listener| listener.id).collect();
    assert_eq!(ids, [unnamed.id(), fails.id(), pattern.id()], "in the order of their ids");
    let names: Vec<_> = seen.iter().map(|listener| listener.name.as_deref()).collect();
    assert_eq!(names, [None, Some("crm"), Some("audit")]);
    let targets: Vec<_> = seen.iter().map(|listener| &*listener.target).collect();
    assert_eq!(targets, ["look.tick", "look.tick", "look.**"]);
    let counts: Vec<_> = seen.iter().map(|listener| (listener.calls, listener.failures)).collect();
    assert_eq!(counts, [(2, 0), (2, 1), (2, 0)]);
    let error = seen[1].last_error.as_deref().unwrap();
    assert!(error.ends_with("the number is not one: invalid digit found in string"), "{error}");
    bus.emit(Tick(3)).await.unwrap();
    let latest = listener(&bus, &fails);
    assert_eq!((latest.calls, latest.failures), (3, 2));
    assert!(latest.last_error.is_some_and(|error| error.contains("panicked") && error.contains("tick 3")));
}

#[tokio::test]
async fn b13_a_turn_in_which_the_handler_does_not_start_is_no_call() {
    let bus = EventBus::new();
    let filtered = bus.subscribe::<Tick>().filter(|tick| tick.0 == 2).handle_sync(|_, _| {});
    let u8s = bus.on_sync(|shared: &Shared<u8>, _| assert!(shared.0 < 3));
    let strings = bus.on_sync(|_: &Shared<String>, _| {});
    for tick in 0..3 {
        bus.emit(Tick(tick)).await.unwrap();
        bus.emit_json("look.tick", json!(tick)).await.unwrap();
        bus.emit_json("look.shared", json!(tick)).await.unwrap();
    }
    assert!(bus.emit_json("look.tick", json!("malformed")).await.is_err());
    assert_eq!(listener(&bus, &filtered).calls, 2);
    assert_eq!((listener(&bus, &u8s).calls, listener(&bus, &u8s).failures), (3, 0));
    assert_eq!(listener(&bus, &strings).calls, 0);

    // Removed between the begin of the emit and its turn.
    let bus = EventBus::new();
    let victim = Arc::new(std::sync::Mutex::new(None::<Subscription>));
    let taken = Arc::clone(&victim);
    bus.on(move |_: Arc<Tick>| {
        assert!(taken.lock().unwrap().take().unwrap().off());
        std::future::ready(())
    });
    *victim.lock().unwrap() = Some(bus.on(async |_: Arc<Tick>| {}));
    let last = bus.on(async |_: Arc<Tick>| {});
    assert_eq!(bus.emit(Tick(1)).await.unwrap().delivered(), 2);
    assert_eq!(listener(&bus, &last).calls, 1);
}

#[tokio::test]
async fn b13_calls_that_end_with_their_emit_are_counted_as_cancelled() {
    let bus = EventBus::new();
    let quick = bus.on(async |_: Arc<Tick>| {});
    let slow = bus.on(async |_: Arc<Tick>| std::future::pending::<()>().await);
    let last = bus.on(async |_: Arc<Tick>| {});
    let counts = || [&quick, &slow, &last].map(|one| (listener(&bus, one).calls, listener(&bus, one).cancelled));
    let mut emit = Box::pin(bus.emit(Tick(1)));
    assert!(waits(&mut emit).await);
    drop(emit);
    assert_eq!(counts(), [(1, 0), (1, 1), (1, 0)]);
    let mut emit = Box::pin(bus.emit(Tick(1)).sequential());
    assert!(waits(&mut emit).await);
    drop(emit);
    assert_eq!(counts(), [(2, 0), (2, 2), (1, 0)], "the last never had its turn");
    drop(bus.emit(Tick(1)));
    assert_eq!(counts(), [(2, 0), (2, 2), (1, 0)], "an emit that is never polled does nothing");
}

#[tokio::test]
async fn b13_listeners_tell_what_waits_in_a_queue_and_what_was_dropped() {
    let (bus, gate) = (EventBus::new(), Arc::new(tokio::sync::Semaphore::new(0)));
    let wait = Arc::clone(&gate);
    let queued = bus.subscribe::<Tick>().queued(3, Overflow::DropNewest).handle(move |_: Arc<Tick>| {
        let wait = Arc::clone(&wait);
        async move { _ = wait.acquire().await }
    });
    let state = || {
        let seen = listener(&bus, &queued);
        (seen.calls, seen.queue_depth, seen.dropped)
    };
    for tick in 0..2 {
        bus.emit(Tick(tick)).await.unwrap();
    }
    assert_eq!(state(), (0, 2, 0), "a call is counted when it starts");
    while listener(&bus, &queued).calls == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(state(), (1, 1, 0));
    for tick in 2..7 {
        bus.emit(Tick(tick)).await.unwrap();
    }
    assert_eq!(state(), (1, 3, 3));
    gate.close();
    bus.settle().await;
    assert_eq!(state(), (4, 0, 3));
}

#[tokio::test]
async fn b13_looking_from_inside_of_handlers_and_their_drops_hangs_nowhere() {
    struct Curious(EventBus);

    impl Drop for Curious {
        fn drop(&mut self) {
            look(&self.0);
        }
    }

    fn look(bus: &EventBus) {
        _ = (bus.listeners(), bus.stats(), bus.listener_count::<Tick>(), bus.listener_count_of("look.tick"));
    }

    let bus = EventBus::new();
    let held = Arc::new(Curious(bus.clone()));
    bus.layer(oyez::layer::from_fn({
        let bus = bus.clone();
        move |call, next| {
            look(&bus);
            next.run(call)
        }
    }));
    let sees = move |_: &Tick, _: &oyez::Context| look(&held.0);
    let queued = bus.subscribe::<Tick>().queued(1, Overflow::Wait).handle_sync(sees);
    bus.emit(Tick(1)).await.unwrap();
    bus.settle().await;
    // The handler, and with it the last handle to what it holds, is dropped by this call.
    assert!(queued.off());
    assert_eq!(bus.remove_all(), 0);
}
