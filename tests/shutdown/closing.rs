//! `shutdown` that has time enough: intake stops, and what was taken in is finished.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use oyez::{Context, EmitError, EventBus, Overflow};
use serde_json::json;

use crate::{Job, Next, Work, not_hanging, waits};

const LONG: Duration = Duration::from_secs(3600);

async fn refuses_everything(bus: &EventBus) {
    assert!(matches!(bus.emit(Job(9)).await, Err(EmitError::Closed)));
    assert!(matches!(bus.emit_json("work.job", json!(9)).await, Err(EmitError::Closed)));
    assert!(matches!(bus.emit_json("nobody.listens", json!(9)).await, Err(EmitError::Closed)));
    assert!(matches!(bus.emit_detached(Job(9)), Err(EmitError::Closed)));
    assert!(matches!(bus.post(Job(9)), Err(EmitError::Closed)));
}

#[tokio::test(start_paused = true)]
async fn b15_shutdown_finishes_what_is_queued_posted_and_detached() {
    let (bus, work) = (EventBus::new(), Work::new());
    bus.subscribe::<Job>().queued(1, Overflow::Wait).handle_with(Arc::clone(&work), Work::job);
    let noted = Arc::clone(&work);
    bus.on_sync(move |next: &Next, _| noted.note(format!("next {}", next.0)));
    for job in 0..4 {
        // Jobs 2 and 3 wait for room.
        bus.post(Job(job)).unwrap();
    }
    bus.emit_detached(Next(4)).unwrap();
    let mut shutdown = Box::pin(bus.shutdown(LONG));
    assert!(waits(&mut shutdown).await);
    refuses_everything(&bus).await;
    work.release();
    assert!(not_hanging("shutdown", shutdown).await.is_clean());
    let done = work.done();
    for what in ["end 0", "end 1", "end 2", "end 3", "next 4"] {
        assert!(done.iter().any(|done| done == what), "{what}");
    }
    assert_eq!(done.len(), 9);
    refuses_everything(&bus).await;
}

#[tokio::test(start_paused = true)]
async fn b15_shutdown_of_an_idle_bus_is_clean_even_without_time() {
    let bus = EventBus::new();
    assert!(bus.shutdown(Duration::ZERO).await.is_clean());
    refuses_everything(&bus).await;
    bus.on_sync(|_: &Job, _| {});
    refuses_everything(&bus).await;
}

#[tokio::test(start_paused = true)]
async fn b15_handlers_that_are_finished_may_still_emit() {
    let (bus, work) = (EventBus::new(), Work::new());
    let (own, noted) = (bus.clone(), Arc::clone(&work));
    let job = move |job: Arc<Job>, cx: Context| {
        let (own, noted) = (own.clone(), Arc::clone(&noted));
        async move {
            Arc::clone(&noted).job(job).await;
            own.emit(Next(1)).await.unwrap();
            own.emit_json("work.next", json!(2)).await.unwrap();
            own.post(Next(3)).unwrap();
            own.emit_detached(Next(4)).unwrap().await.unwrap();
            assert_eq!(own.emit_json("nobody.listens", json!(5)).await.unwrap().delivered(), 0);
            let spawned = cx.spawn(async move { own.emit(Next(6)).await.map(drop) });
            spawned.await.unwrap().unwrap();
            noted.note("all were taken");
        }
    };
    bus.subscribe::<Job>().queued(4, Overflow::Wait).handle(job.clone());
    bus.on(job);
    let noted = Arc::clone(&work);
    bus.subscribe::<Next>().queued(1, Overflow::Wait).handle(move |next: Arc<Next>| {
        noted.note(format!("next {}", next.0));
        std::future::ready(())
    });
    bus.post(Job(0)).unwrap();
    work.until("begin 0").await;
    let mut shutdown = Box::pin(bus.shutdown(LONG));
    assert!(waits(&mut shutdown).await);
    refuses_everything(&bus).await;
    work.release();
    assert!(not_hanging("shutdown", shutdown).await.is_clean());
    let count = |what: &str| work.done().iter().filter(|done| *done == what).count();
    assert_eq!(count("all were taken"), 2, "{:?}", work.done());
    for next in [1, 2, 3, 4, 6] {
        assert_eq!(count(&format!("next {next}")), 2, "{next}");
    }
}

#[tokio::test(start_paused = true)]
async fn b15_an_emit_that_a_caller_waits_for_goes_on() {
    let (bus, work) = (EventBus::new(), Work::new());
    bus.with(Arc::clone(&work)).on(Work::job);
    let mut emit = Box::pin(bus.emit(Job(1)));
    assert!(waits(&mut emit).await);
    assert!(not_hanging("shutdown", bus.shutdown(LONG)).await.is_clean());
    work.release();
    assert_eq!(not_hanging("the emit", emit).await.unwrap().delivered(), 1);
}

#[tokio::test(start_paused = true)]
async fn b15_handlers_that_panic_or_fail_do_not_disturb_a_shutdown() {
    let bus = EventBus::new();
    bus.subscribe::<Job>().queued(8, Overflow::Wait).handle(|job: Arc<Job>| async move {
        tokio::task::yield_now().await;
        assert_ne!(job.0 % 2, 0);
        Err("it failed")
    });
    bus.on(async |job: Arc<Job>| assert_eq!(job.0, 9));
    for job in 0..4 {
        bus.post(Job(job)).unwrap();
    }
    assert!(not_hanging("shutdown", bus.shutdown(LONG)).await.is_clean());
    assert_eq!(bus.listeners().iter().map(|listener| listener.failures).collect::<Vec<_>>(), [4, 4]);
}

#[tokio::test(start_paused = true)]
async fn b15_shutdown_may_be_called_twice_and_by_several() {
    let (bus, work) = (EventBus::new(), Work::new());
    bus.subscribe::<Job>().queued(4, Overflow::Wait).handle_with(Arc::clone(&work), Work::job);
    bus.emit(Job(1)).await.unwrap();
    let (mut first, mut second) = (Box::pin(bus.shutdown(LONG)), Box::pin(bus.shutdown(LONG)));
    assert!(waits(&mut first).await && waits(&mut second).await);
    work.release();
    assert!(not_hanging("the first", first).await.is_clean());
    assert!(not_hanging("the second", second).await.is_clean());
    assert!(not_hanging("the third", bus.shutdown(LONG)).await.is_clean());
}

#[tokio::test(start_paused = true)]
async fn b15_a_shutdown_that_is_dropped_early_leaves_the_bus_closed_and_cuts_nothing() {
    let (bus, work) = (EventBus::new(), Work::new());
    bus.subscribe::<Job>().queued(4, Overflow::Wait).handle_with(Arc::clone(&work), Work::job);
    bus.emit(Job(1)).await.unwrap();
    let mut shutdown = Box::pin(bus.shutdown(LONG));
    assert!(waits(&mut shutdown).await);
    drop(shutdown);
    refuses_everything(&bus).await;
    work.release();
    assert!(not_hanging("shutdown", bus.shutdown(LONG)).await.is_clean());
    assert_eq!(work.done(), ["begin 1", "end 1"]);
}

#[tokio::test(start_paused = true)]
async fn b15_nothing_is_taken_in_after_a_clean_shutdown_not_even_from_tasks_of_its_handlers() {
    let (bus, work) = (EventBus::new(), Work::new());
    let (own, state) = (bus.clone(), Arc::clone(&work));
    let (tell, told) = tokio::sync::oneshot::channel();
    let tell = std::sync::Mutex::new(Some(tell));
    bus.subscribe::<Job>().queued(4, Overflow::Wait).handle(move |job: Arc<Job>, cx: Context| {
        let tell = tell.lock().unwrap().take().unwrap();
        let (own, state) = (own.clone(), Arc::clone(&state));
        // The task outlives the handler, and so the shutdown.
        cx.spawn(async move {
            state.job(job).await;
            tell.send(own.emit(Next(1)).await.map(drop)).unwrap();
        });
        std::future::ready(())
    });
    bus.emit(Job(1)).await.unwrap();
    work.until("begin 1").await;
    assert!(not_hanging("shutdown", bus.shutdown(LONG)).await.is_clean());
    work.release();
    let outcome = not_hanging("the task", told).await.unwrap();
    assert!(matches!(outcome, Err(EmitError::Closed)), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b15_all_that_was_taken_in_is_done_when_a_clean_shutdown_returns() {
    for round in 0..10_000_u64 {
        let bus = EventBus::new();
        let count = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&count);
        bus.on_sync(move |_: &Job, _| {
            counted.fetch_add(1, Ordering::SeqCst);
        });
        let started = Arc::new(AtomicU64::new(0));
        let emitter = tokio::spawn({
            let (bus, started) = (bus.clone(), Arc::clone(&started));
            async move {
                started.store(1, Ordering::SeqCst);
                (0..50_u64).take_while(|job| bus.post(Job(*job)).is_ok()).count() as u64
            }
        });
        while started.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        for _ in 0..round % 200 {
            std::hint::spin_loop();
        }
        assert!(not_hanging("shutdown", bus.shutdown(LONG)).await.is_clean());
        let done = count.load(Ordering::SeqCst);
        assert_eq!(done, emitter.await.unwrap(), "round {round}: taken in, and not done when shutdown returned");
    }
}
