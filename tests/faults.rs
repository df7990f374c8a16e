//! Faults that a review of the whole found, each as a test of the promise it broke.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of tests fails the test")]

use std::collections::HashMap;
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{self, Poll};
use std::time::Duration;

use futures_util::FutureExt;
use oyez::{EmitError, Event, EventBus, NoMoreEvents, Overflow, Subscription};
use serde::{Deserialize, Serialize};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

#[derive(Debug, Event)]
#[event(name = "faults.tick", local)]
struct Tick;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "faults.versioned")]
struct First {
    a: u32,
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "faults.versioned", version = 2)]
struct Second {
    b: u32,
}

/// Longer than any test that does not hang.
const LONG: Duration = Duration::from_secs(10);

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// A future that panics when it is polled for the last time, and again when it is dropped after that.
struct Twice {
    polls: u8,
}

impl Future for Twice {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, task: &mut task::Context<'_>) -> Poll<()> {
        match self.polls {
            0 => panic!("in the poll"),
            _ => {
                self.polls -= 1;
                task.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }
}

impl Drop for Twice {
    fn drop(&mut self) {
        if self.polls == 0 {
            panic!("in the drop");
        }
    }
}

#[tokio::test]
async fn b03_a_future_may_panic_in_a_poll_and_again_when_dropped() {
    for polls in [0, 1, 2] {
        let bus = EventBus::new();
        bus.on(move |_: Arc<Tick>| Twice { polls });
        bus.subscribe::<Tick>().timeout(LONG).handle(move |_: Arc<Tick>| Twice { polls });
        bus.on(async |_: Arc<Tick>| ());
        let emitted = bus.emit(Tick).await.unwrap();
        assert_eq!((emitted.delivered(), emitted.failures().len()), (1, 2));
    }
}

#[tokio::test]
async fn b03_an_event_may_panic_when_dropped() {
    #[derive(Debug, Event)]
    #[event(name = "faults.boom", local)]
    struct Boom;

    impl Drop for Boom {
        fn drop(&mut self) {
            panic!("the event's own drop");
        }
    }

    let bus = EventBus::new();
    bus.on_sync(|_: &Boom, _| ());
    assert_eq!(bus.emit(Boom).await.unwrap().delivered(), 1);
    bus.on(async |_: Arc<Boom>| ());
    // The handler holds the last share while it is polled, so the panic is its own.
    let emitted = bus.emit(Boom).await.unwrap();
    assert_eq!(emitted.delivered() + emitted.failures().len(), 2);
}

#[tokio::test]
async fn b06_a_filter_may_turn_its_own_handler_off() {
    let (bus, own, runs) = (EventBus::new(), Arc::new(OnceLock::<Subscription>::new()), Arc::new(AtomicUsize::new(0)));
    let (this, counted) = (Arc::clone(&own), Arc::clone(&runs));
    let subscription = bus
        .subscribe::<Tick>()
        .filter(move |_| this.get().unwrap().off())
        .handle_sync(move |_, _| _ = counted.fetch_add(1, Ordering::Relaxed));
    own.set(subscription).unwrap();
    assert_eq!(bus.emit(Tick).await.unwrap().delivered(), 0);
    assert_eq!(runs.load(Ordering::Relaxed), 0, "`off` said true, and then the handler started");
}

#[tokio::test]
async fn b06_off_ends_a_stream_while_an_emit_goes_on() {
    let bus = EventBus::new();
    let stream = Arc::new(Mutex::new(Some(bus.stream::<Tick>(8))));
    bus.with(bus.downgrade()).on(move |bus: Arc<oyez::WeakEventBus>, _: Arc<Tick>| {
        let mut stream = stream.lock().unwrap().take().unwrap();
        async move {
            assert!(bus.upgrade().unwrap().off(stream.subscription().id()));
            while stream.next().await.is_some() {}
        }
    });
    let emitted = timeout(LONG, bus.emit(Tick)).await.expect("the emit waits for the stream").unwrap();
    assert_eq!(emitted.delivered(), 2);
}

#[tokio::test]
async fn b06_off_ends_a_wait_while_an_emit_goes_on() {
    let bus = EventBus::new();
    let wait = bus.wait_for::<Tick>(|_| false);
    bus.on(async |_: Arc<Tick>| pending::<()>().await);
    let mut emit = bus.emit(Tick);
    assert!((&mut emit).now_or_never().is_none());
    assert_eq!(bus.remove_all(), 2);
    assert!(matches!(timeout(LONG, wait).await, Ok(Err(NoMoreEvents))));
}

#[tokio::test]
async fn b12_the_default_version_goes_by_who_is_subscribed() {
    let bus = EventBus::new();
    bus.on(async |_: Arc<First>| ());
    assert!(bus.on(async |_: Arc<Second>| ()).off());
    let emitted = bus.emit_json("faults.versioned", serde_json::json!({ "a": 1 })).await.unwrap();
    assert_eq!(emitted.delivered(), 1);
}

#[tokio::test]
async fn b12_a_payload_that_is_no_json_is_an_error_also_unheard() {
    let bus = EventBus::new();
    let no_text = HashMap::from([((1, 2), 3)]);
    assert!(matches!(bus.emit_json("faults.nobody", &no_text).await, Err(EmitError::Encode(_))));
    assert!(matches!(bus.emit_json("faults.nobody", &no_text).detach(), Err(EmitError::Encode(_))));
}

/// A bus whose queue is full behind a handler that never ends, and an emit that waits for room.
async fn waiting() -> (EventBus, Subscription, tokio::task::JoinHandle<oyez::Emitted>) {
    let bus = EventBus::new();
    let stuck = bus.subscribe::<Tick>().queued(1, Overflow::Wait).handle(async |_: Arc<Tick>| pending::<()>().await);
    for _ in 0..2 {
        bus.emit(Tick).await.unwrap();
        tokio::task::yield_now().await;
    }
    let own = bus.clone();
    let emit = tokio::spawn(async move { own.emit(Tick).await.unwrap() });
    tokio::task::yield_now().await;
    (bus, stuck, emit)
}

#[tokio::test]
async fn b14_an_event_that_off_let_go_of_is_not_delivered() {
    let (_bus, stuck, emit) = waiting().await;
    assert!(stuck.off());
    let emitted = timeout(LONG, emit).await.unwrap().unwrap();
    assert_eq!((emitted.delivered(), emitted.failures().len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn b15_an_event_that_shutdown_let_go_of_is_a_failure() {
    let (bus, _stuck, emit) = waiting().await;
    assert!(!bus.shutdown(Duration::from_secs(1)).await.is_clean());
    let emitted = timeout(LONG, emit).await.unwrap().unwrap();
    assert_eq!((emitted.delivered(), emitted.failures().len()), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn b15_what_shutdown_cut_is_gone_when_it_returns() {
    let (bus, held) = (EventBus::new(), Arc::new(()));
    let guard = Arc::clone(&held);
    bus.subscribe::<Tick>().queued(1, Overflow::Wait).handle(move |_: Arc<Tick>| {
        let guard = Arc::clone(&guard);
        async move {
            pending::<()>().await;
            drop(guard);
        }
    });
    bus.emit(Tick).await.unwrap();
    tokio::task::yield_now().await;
    assert_eq!(Arc::strong_count(&held), 3);
    assert_eq!(bus.shutdown(Duration::from_secs(1)).await.queued, 1);
    assert_eq!(Arc::strong_count(&held), 2);
}

#[tokio::test]
async fn b15_shutdown_ends_streams_and_waits() {
    let bus = EventBus::new();
    let (mut stream, wait) = (bus.stream::<Tick>(8), bus.wait_for::<Tick>(|_| false));
    bus.emit(Tick).await.unwrap();
    assert!(bus.shutdown(LONG).await.is_clean());
    assert!(matches!(stream.next().await, Some(Ok(_))), "what it keeps is still there");
    assert!(timeout(LONG, stream.next()).await.unwrap().is_none());
    assert!(matches!(timeout(LONG, wait).await, Ok(Err(NoMoreEvents))));
    assert!(timeout(LONG, bus.stream::<Tick>(8).next()).await.unwrap().is_none(), "one that begins later ends at once");
    assert!(matches!(timeout(LONG, bus.wait_for::<Tick>(|_| true)).await, Ok(Err(NoMoreEvents))));
}

#[tokio::test]
async fn b15_a_detached_emit_that_nobody_hears_is_done_by_a_shutdown() {
    let bus = EventBus::new();
    let detached = bus.emit_detached(Tick).unwrap();
    assert!(bus.shutdown(LONG).await.is_clean());
    assert!(detached.await.is_ok());
}

#[test]
fn b15_a_post_left_by_its_runtime_does_not_keep_the_bus() {
    let (bus, held) = (EventBus::new(), Arc::new(()));
    let kept = Arc::clone(&held);
    bus.on_sync(move |_: &Tick, _| _ = &kept);
    runtime().block_on(async { bus.post(Tick).unwrap() });
    drop(bus);
    assert_eq!(Arc::strong_count(&held), 1);
}

#[test]
fn b14_an_event_left_in_a_queue_does_not_keep_the_bus_of_its_scope() {
    let (bus, held) = (EventBus::new(), Arc::new(()));
    let kept = Arc::clone(&held);
    bus.subscribe::<Tick>().queued(8, Overflow::Wait).handle(move |_: Arc<Tick>| {
        _ = &kept;
        async {}
    });
    let left = async { drop(EventBus::global().emit(Tick).await.unwrap()) };
    runtime().block_on(EventBus::scope(bus.clone(), left));
    drop(bus);
    assert_eq!(Arc::strong_count(&held), 1);
}

#[test]
fn b15_a_detached_outcome_comes_in_the_next_runtime() {
    let bus = EventBus::new();
    bus.on_sync(|_: &Tick, _| ());
    let detached = {
        let runtime = runtime();
        let _entered = runtime.enter();
        bus.emit_detached(Tick).unwrap()
    };
    let outcome = runtime().block_on(async { timeout(LONG, detached).await });
    assert_eq!(outcome.expect("nobody works off the line").unwrap().delivered(), 1);
}

/// A worker's stack is 2 MiB, and a debug build copies an event several times for each level.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn b08_a_large_event_that_emits_itself_ends_too_deep() {
    #[derive(Debug, Event)]
    #[event(name = "faults.large", local)]
    struct Large([u8; 2048]);

    let bus = EventBus::new();
    bus.with(bus.clone()).on(async |bus: Arc<EventBus>, event: Arc<Large>| match bus.emit(Large(event.0)).await {
        Err(EmitError::TooDeep { limit }) => Err(format!("deeper than {limit}")),
        emitted => emitted.unwrap().into_result().map(drop).map_err(|failed| failed.emitted().failures()[0].reason()),
    });
    let own = bus.clone();
    let emitted = tokio::spawn(async move { own.emit(Large([0; 2048])).await.unwrap() }).await.unwrap();
    assert!(emitted.failures()[0].reason().ends_with("deeper than 64"));
}
