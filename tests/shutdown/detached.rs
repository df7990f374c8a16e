//! `emit_detached` and `post`: one line for each bus, started in order.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use oyez::{Context, EmitError, EventBus, NameError};
use serde_json::json;

use crate::{Job, Next, Work, not_hanging};

#[tokio::test(start_paused = true)]
async fn b15_a_detached_emit_returns_at_once_and_its_handle_tells_the_outcome() {
    let (bus, work) = (EventBus::new(), Work::new());
    bus.with(Arc::clone(&work)).on(Work::job);
    bus.on(async |_: Arc<Job>| Err("it failed"));
    let detached = bus.emit_detached(Job(1)).unwrap();
    assert_eq!(work.done(), Vec::<String>::new(), "nothing has run yet");
    work.until("begin 1").await;
    work.release();
    let emitted = not_hanging("the detached emit", detached).await.unwrap();
    assert_eq!((emitted.delivered(), emitted.failures().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn b15_a_detached_emit_goes_on_when_its_caller_vanishes() {
    let (bus, work) = (EventBus::new(), Work::new());
    bus.with(Arc::clone(&work)).on(Work::job);
    let caller = tokio::spawn({
        let bus = bus.clone();
        async move { bus.emit_detached(Job(1)).unwrap().await }
    });
    not_hanging("the handler", work.until("begin 1")).await;
    caller.abort();
    assert!(caller.await.unwrap_err().is_cancelled());
    work.release();
    not_hanging("the bus", bus.settle()).await;
    assert_eq!(work.done(), ["begin 1", "end 1"]);
}

#[tokio::test(start_paused = true)]
async fn b15_a_detached_emit_outlives_the_last_handle_of_its_bus() {
    let (bus, work) = (EventBus::new(), Work::new());
    bus.with(Arc::clone(&work)).on(Work::job);
    let detached = bus.emit_detached(Job(1)).unwrap();
    drop(bus);
    work.release();
    assert_eq!(not_hanging("the detached emit", detached).await.unwrap().delivered(), 1);
}

#[tokio::test(start_paused = true)]
async fn b15_a_pending_detached_emit_does_not_hold_up_those_behind_it() {
    let (bus, work) = (EventBus::new(), Work::new());
    bus.with(Arc::clone(&work)).on(Work::job);
    let noted = Arc::clone(&work);
    bus.on_sync(move |next: &Next, _| noted.note(format!("next {}", next.0)));
    bus.post(Job(1)).unwrap();
    let next = bus.emit_detached(Next(2)).unwrap();
    not_hanging("the emit behind it", next).await.unwrap();
    assert_eq!(work.done(), ["begin 1", "next 2"]);
}

#[test]
fn b15_a_detached_emit_outside_of_a_runtime_is_refused() {
    let (bus, work) = (EventBus::new(), Work::new());
    let noted = Arc::clone(&work);
    bus.on_sync(move |_: &Job, _| noted.note("ran"));
    assert!(matches!(bus.emit_detached(Job(1)), Err(EmitError::NoRuntime)));
    assert!(matches!(bus.post(Job(1)), Err(EmitError::NoRuntime)));
    assert!(matches!(bus.emit_json("work.job", json!(1)).detach(), Err(EmitError::NoRuntime)));
    // Nothing was left behind that would run, or be waited for, later.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(not_hanging("the bus", bus.settle()));
    assert_eq!(work.done(), Vec::<String>::new());
}

#[tokio::test]
async fn b15_a_detached_emit_says_at_once_what_is_known_to_be_wrong() {
    let bus = EventBus::builder().max_depth(0).build();
    let name = bus.emit_json("a..b", json!(1)).detach();
    assert!(matches!(name, Err(EmitError::Name(why)) if *why == NameError::EmptySegment));

    let seen = Arc::new(Mutex::new(Vec::new()));
    let (own, into) = (bus.clone(), Arc::clone(&seen));
    bus.on_sync(move |_: &Job, _| {
        into.lock().unwrap().push((own.post(Next(1)).is_err(), own.emit_detached(Next(1)).is_err()));
    });
    bus.emit(Job(1)).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [(true, true)], "too deep");
}

#[tokio::test(start_paused = true)]
async fn b15_posts_and_detached_emits_share_one_line() {
    let (bus, work) = (EventBus::new(), Work::new());
    let noted = Arc::clone(&work);
    bus.on(move |job: Arc<Job>| {
        let noted = Arc::clone(&noted);
        async move {
            noted.note(job.0.to_string());
            tokio::task::yield_now().await;
        }
    });
    for job in 0..200 {
        match job % 3 {
            0 => bus.post(Job(job)).unwrap(),
            1 => drop(bus.emit_detached(Job(job)).unwrap()),
            _ => drop(bus.emit_json("work.job", json!(job)).detach().unwrap()),
        }
    }
    not_hanging("the bus", bus.settle()).await;
    assert_eq!(work.done(), (0..200).map(|job| job.to_string()).collect::<Vec<_>>());
}

/// No run comes near it.
const LONGEST: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b15_emits_start_in_order_while_the_line_runs_dry_and_fills_again() {
    let bus = EventBus::new();
    let (count, backwards) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let state = (Arc::clone(&count), Arc::clone(&backwards));
    bus.on_sync(move |job: &Job, _| {
        if state.0.fetch_add(1, Ordering::SeqCst) != job.0 {
            state.1.fetch_add(1, Ordering::SeqCst);
        }
    });
    // On a thread of its own: what is posted from a worker's thread would run on that thread.
    let (runtime, own) = (tokio::runtime::Handle::current(), bus.clone());
    let emitter = tokio::task::spawn_blocking(move || {
        let _entered = runtime.enter();
        let (began, mut job) = (Instant::now(), 0);
        for round in 0..15_000_u64 {
            own.post(Job(job)).unwrap();
            job += 1;
            // The line is about to run dry: its end and the next posts meet at a moment that shifts by the round.
            while count.load(Ordering::SeqCst) < job {
                assert!(began.elapsed() < LONGEST, "a posted emit never started");
                std::thread::yield_now();
            }
            for _ in 0..round % 100 {
                std::hint::spin_loop();
            }
            for _ in 0..19 {
                own.post(Job(job)).unwrap();
                job += 1;
            }
        }
        job
    });
    assert_eq!(emitter.await.unwrap(), 300_000);
    not_hanging("the bus", bus.settle()).await;
    assert_eq!(backwards.load(Ordering::SeqCst), 0, "so many did not start in their turn");
}

#[tokio::test(start_paused = true)]
async fn b15_an_outcome_that_nobody_wants_and_whose_drop_panics_does_not_stop_the_line() {
    #[derive(Debug)]
    struct Vicious;

    impl std::fmt::Display for Vicious {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("vicious")
        }
    }

    impl std::error::Error for Vicious {}

    impl Drop for Vicious {
        fn drop(&mut self) {
            assert!(std::thread::panicking(), "dropping an error panics");
        }
    }

    for behind_it in [0, 1] {
        let (bus, work) = (EventBus::new(), Work::new());
        bus.on_sync(|_: &Job, _| Err(Vicious));
        let noted = Arc::clone(&work);
        bus.on_sync(move |next: &Next, _| noted.note(next.0.to_string()));
        bus.post(Job(0)).unwrap();
        for next in 0..behind_it {
            bus.post(Next(next)).unwrap();
        }
        tokio::task::yield_now().await;
        let last = bus.emit_detached(Next(9)).unwrap();
        let last = not_hanging("the line", last).await;
        assert!(last.is_ok(), "{behind_it} behind it: {last:?}");
        assert_eq!(work.done().len(), behind_it as usize + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn b15_a_detached_emit_inherits_the_story_of_the_handler_that_made_it() {
    let bus = EventBus::new();
    let (own, seen) = (bus.clone(), Arc::new(Mutex::new(Vec::new())));
    let into = Arc::clone(&seen);
    bus.on_sync(move |_: &Job, cx: &Context| {
        into.lock().unwrap().push((cx.correlation_id().clone(), cx.id().clone(), cx.depth()));
        own.post(Next(1)).unwrap();
    });
    let into = Arc::clone(&seen);
    bus.on_sync(move |_: &Next, cx: &Context| {
        into.lock().unwrap().push((cx.correlation_id().clone(), cx.causation_id().unwrap().clone(), cx.depth()));
    });
    bus.emit(Job(1)).await.unwrap();
    not_hanging("the bus", bus.settle()).await;
    let seen = seen.lock().unwrap();
    assert_eq!((&seen[0].0, &seen[0].1, seen[1].2), (&seen[1].0, &seen[1].1, seen[0].2 + 1));
}
