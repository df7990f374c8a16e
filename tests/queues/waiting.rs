//! An emit that waits for room, and what may end its wait.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use oyez::{Event, EventBus, Overflow, Subscription};

use crate::{Gated, Job, listener, not_hanging, waits};

/// A bus whose handler is at job 0, and in whose queue's one place is job 1.
async fn full() -> (EventBus, Subscription, Arc<Gated>) {
    let (bus, gated) = (EventBus::new(), Gated::closed());
    let subscription = bus.subscribe::<Job>().queued(1, Overflow::Wait).handle_with(Arc::clone(&gated), Gated::handle);
    for job in 0..=1 {
        assert!(bus.emit(Job(job)).await.is_ok());
        not_hanging("the first call", gated.until_started(1)).await;
    }
    (bus, subscription, gated)
}

#[tokio::test(start_paused = true)]
async fn b14_off_ends_the_wait_and_what_waits_is_not_handled() {
    type Removal = fn(&EventBus, &Subscription) -> bool;
    let removals: [Removal; 4] = [
        |_, subscription| subscription.off(),
        |bus, subscription| bus.off(subscription.id()),
        |bus, _| bus.remove_all() == 1,
        |bus, _| bus.remove_all_of::<Job>() == 1,
    ];
    for remove in removals {
        let (bus, subscription, gated) = full().await;
        let mut emits: Vec<_> = (2..5).map(|job| Box::pin(bus.emit(Job(job)))).collect();
        for emit in &mut emits {
            assert!(waits(emit).await);
        }
        assert!(remove(&bus, &subscription));
        for emit in emits {
            assert!(not_hanging("an emit", emit).await.unwrap().failures().is_empty());
        }
        gated.release();
        not_hanging("the queue", bus.settle()).await;
        assert_eq!(gated.started(), [0], "the call under way goes on, the others never start");
    }
}

#[tokio::test(start_paused = true)]
async fn b14_off_from_inside_of_the_handler_ends_the_wait() {
    let bus = EventBus::new();
    let (own, gated) = (bus.clone(), Gated::closed());
    let state = Arc::clone(&gated);
    bus.subscribe::<Job>().queued(1, Overflow::Wait).handle(move |job: Arc<Job>| {
        let (own, state) = (own.clone(), Arc::clone(&state));
        async move {
            state.handle(job).await;
            own.remove_all();
        }
    });
    for job in 0..=1 {
        bus.emit(Job(job)).await.unwrap();
        not_hanging("the first call", gated.until_started(1)).await;
    }
    let mut emit = Box::pin(bus.emit(Job(2)));
    assert!(waits(&mut emit).await);
    gated.release();
    not_hanging("the emit", emit).await.unwrap();
    not_hanging("the queue", bus.settle()).await;
    assert_eq!(gated.started(), [0]);
}

#[tokio::test(start_paused = true)]
async fn b14_an_emit_that_is_dropped_while_it_waits_is_not_handled_and_is_counted() {
    let (bus, subscription, gated) = full().await;
    let mut dropped = Box::pin(bus.emit(Job(2)));
    let mut kept = Box::pin(bus.emit(Job(3)));
    assert!(waits(&mut dropped).await && waits(&mut kept).await);
    drop(dropped);
    let before = listener(&bus, &subscription);
    assert_eq!((before.queue_depth, before.cancelled, before.dropped), (1, 1, 0));

    gated.release();
    assert_eq!(not_hanging("the emit behind it", kept).await.unwrap().delivered(), 1);
    not_hanging("the queue", bus.settle()).await;
    assert_eq!(gated.started(), [0, 1, 3]);
    let after = listener(&bus, &subscription);
    assert_eq!((after.calls, after.cancelled, after.dropped), (3, 1, 0));
}

#[tokio::test]
async fn b14_an_emit_that_is_dropped_when_its_event_has_got_room_is_handled_and_not_cancelled() {
    let (bus, subscription, gated) = full().await;
    let mut emit = Box::pin(bus.emit(Job(2)));
    assert!(waits(&mut emit).await);
    gated.permits.add_permits(1);
    gated.until_started(2).await;
    // Job 1 has left the queue for the handler, so job 2 has room; its emit was woken and not polled yet.
    drop(emit);
    gated.release();
    bus.settle().await;
    assert_eq!(gated.started(), [0, 1, 2]);
    let seen = listener(&bus, &subscription);
    assert_eq!((seen.calls, seen.cancelled, seen.dropped), (3, 0, 0), "each event counts once");
}

#[tokio::test(start_paused = true)]
async fn b14_emits_that_are_dropped_while_they_wait_free_their_events() {
    #[derive(Debug, Event)]
    #[event(name = "queue.large", local)]
    struct Large {
        _held: Arc<()>,
    }

    let (bus, stuck, held) = (EventBus::new(), Gated::closed(), Arc::new(()));
    let state = Arc::clone(&stuck);
    bus.subscribe::<Large>()
        .queued(1, Overflow::Wait)
        .handle(move |_: Arc<Large>| Arc::clone(&state).handle(Arc::new(Job(0))));
    for _ in 0..2 {
        bus.emit(Large { _held: Arc::clone(&held) }).await.unwrap();
        not_hanging("the first call", stuck.until_started(1)).await;
    }
    for _ in 0..1_000 {
        let mut emit = Box::pin(bus.emit(Large { _held: Arc::clone(&held) }));
        assert!(waits(&mut emit).await);
    }
    assert_eq!(Arc::strong_count(&held), 2, "one is in the queue, and nobody can want the others");
}

#[test]
fn b14_an_event_that_nobody_waits_for_is_dropped_outside_of_the_queues_lock() {
    #[derive(Debug, Event)]
    #[event(name = "queue.curious", local)]
    struct Curious(EventBus);

    impl Drop for Curious {
        fn drop(&mut self) {
            // Asks for the depth of every queue.
            assert!(self.0.listeners().len() <= 1);
        }
    }

    let (tell, told) = mpsc::channel();
    // In a thread of its own: a deadlock is that thread's.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (bus, gated) = (EventBus::new(), Gated::closed());
            let state = Arc::clone(&gated);
            bus.subscribe::<Curious>()
                .queued(1, Overflow::Wait)
                .handle(move |_: Arc<Curious>| Arc::clone(&state).handle(Arc::new(Job(0))));
            for _ in 0..2 {
                bus.emit(Curious(bus.clone())).await.unwrap();
                gated.until_started(1).await;
            }
            let mut emit = Box::pin(bus.emit(Curious(bus.clone())));
            assert!(waits(&mut emit).await);
            drop(emit);
            gated.release();
            bus.settle().await;
            assert_eq!(bus.remove_all(), 1);
        });
        tell.send(()).unwrap();
    });
    assert_eq!(told.recv_timeout(Duration::from_secs(10)), Ok(()), "the queue's lock was held");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b14_emits_that_lose_a_race_while_they_wait_add_up() {
    const EACH: u64 = 10_000;
    let (bus, gated) = (EventBus::new(), Gated::open());
    let subscription = bus.subscribe::<Job>().queued(1, Overflow::Wait).handle_with(Arc::clone(&gated), Gated::handle);
    let emitters: Vec<_> = (0..4)
        .map(|emitter| {
            let bus = bus.clone();
            tokio::spawn(async move {
                let mut delivered = 0;
                for n in 0..EACH {
                    tokio::select! {
                        biased;
                        emitted = bus.emit(Job(emitter * EACH + n)) => delivered += emitted.unwrap().delivered() as u64,
                        () = tokio::task::yield_now() => {}
                    }
                }
                delivered
            })
        })
        .collect();
    let mut delivered = 0;
    for emitter in emitters {
        delivered += not_hanging("an emitter", emitter).await.unwrap();
    }
    not_hanging("the queue", bus.settle()).await;

    let mut started = gated.started();
    let seen = listener(&bus, &subscription);
    assert_eq!((seen.calls, seen.dropped, seen.queue_depth), (started.len() as u64, 0, 0));
    assert!(seen.calls >= delivered, "what was said to be delivered was handled");
    started.sort_unstable();
    started.dedup();
    assert_eq!(started.len() as u64, seen.calls, "no event was handled twice");
    assert_eq!(seen.calls + seen.cancelled, 4 * EACH, "each event was handled or cancelled");
}
