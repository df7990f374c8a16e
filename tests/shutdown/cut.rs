//! `shutdown` whose deadline passes, and what is cut then.

use std::sync::Arc;
use std::time::Duration;

use oyez::{EmitError, EventBus, Overflow, Shutdown};

use crate::{Job, Next, Work, not_hanging, waits};

const DEADLINE: Duration = Duration::from_secs(5);

fn cut(report: Shutdown) -> (usize, usize) {
    (report.queued, report.detached)
}

#[tokio::test(start_paused = true)]
async fn b15_a_shutdown_that_is_too_slow_says_what_it_cut() {
    let (bus, work) = (EventBus::new(), Work::new());
    bus.subscribe::<Job>().queued(8, Overflow::Wait).handle_with(Arc::clone(&work), Work::job);
    let noted = Arc::clone(&work);
    bus.on(move |_: Arc<Next>| {
        let noted = Arc::clone(&noted);
        async move { noted.until("nothing").await }
    });
    for job in 0..3 {
        bus.emit(Job(job)).await.unwrap();
    }
    let detached = bus.emit_detached(Next(1)).unwrap();
    bus.post(Next(2)).unwrap();
    work.until("begin 0").await;

    let began = tokio::time::Instant::now();
    let report = bus.shutdown(DEADLINE).await;
    assert_eq!(began.elapsed().as_secs(), 5);
    assert!(!report.is_clean());
    assert_eq!(cut(report), (3, 2), "one job in its handler and two behind it; two emits");
    assert!(matches!(not_hanging("the detached emit", detached).await, Err(EmitError::Closed)));
    not_hanging("the handler's end", work.until("cut 0")).await;

    // Nothing of it goes on.
    work.release();
    assert!(not_hanging("shutdown", bus.shutdown(DEADLINE)).await.is_clean());
    assert_eq!(work.done(), ["begin 0", "cut 0"]);
    let listeners = bus.listeners();
    assert_eq!((listeners[0].calls, listeners[0].queue_depth), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn b15_a_shutdown_without_time_cuts_at_once() {
    let (bus, work) = (EventBus::new(), Work::new());
    bus.subscribe::<Job>().queued(8, Overflow::Wait).handle_with(Arc::clone(&work), Work::job);
    bus.emit(Job(0)).await.unwrap();
    let detached = bus.emit_detached(Job(1)).unwrap();
    assert_eq!(cut(bus.shutdown(Duration::ZERO).await), (1, 1));
    assert!(matches!(not_hanging("the detached emit", detached).await, Err(EmitError::Closed)));
    assert!(not_hanging("shutdown", bus.shutdown(DEADLINE)).await.is_clean());
    assert_eq!(work.done(), Vec::<String>::new(), "neither had begun");
}

#[tokio::test(start_paused = true)]
async fn b15_what_was_cut_emits_no_more() {
    let (bus, work) = (EventBus::new(), Work::new());
    let (own, state) = (bus.clone(), Arc::clone(&work));
    bus.subscribe::<Job>().queued(8, Overflow::Wait).handle(move |job: Arc<Job>, cx: oyez::Context| {
        let (own, state) = (own.clone(), Arc::clone(&state));
        async move {
            cx.spawn({
                let (own, state) = (own.clone(), Arc::clone(&state));
                async move {
                    state.until("the bus is cut").await;
                    let outcome = own.emit(Next(1)).await.map(drop);
                    state.note(format!("{outcome:?}"));
                }
            });
            state.job(job).await;
        }
    });
    bus.emit(Job(0)).await.unwrap();
    work.until("begin 0").await;
    assert_eq!(cut(bus.shutdown(DEADLINE).await), (1, 0));
    work.note("the bus is cut");
    not_hanging("the task", work.until("Err(Closed)")).await;
}

#[tokio::test(start_paused = true)]
async fn b15_an_emit_that_waits_for_room_ends_when_its_queue_is_cut() {
    let (bus, work) = (EventBus::new(), Work::new());
    bus.subscribe::<Job>().queued(1, Overflow::Wait).handle_with(Arc::clone(&work), Work::job);
    for job in 0..2 {
        bus.emit(Job(job)).await.unwrap();
        work.until("begin 0").await;
    }
    let mut emit = Box::pin(bus.emit(Job(2)));
    assert!(waits(&mut emit).await);
    assert_eq!(cut(bus.shutdown(DEADLINE).await), (3, 0));
    not_hanging("the emit", emit).await.unwrap();
    assert_eq!(work.done(), ["begin 0", "cut 0"]);
}

#[tokio::test(start_paused = true)]
async fn b15_shutdown_from_inside_of_a_plain_handler_does_not_wait_for_it() {
    let bus = EventBus::new();
    let own = bus.clone();
    bus.on(move |_: Arc<Job>| {
        let own = own.clone();
        async move {
            let report = own.shutdown(DEADLINE).await;
            assert!(report.is_clean());
            assert!(matches!(own.emit(Next(1)).await, Err(EmitError::Closed)));
        }
    });
    let began = tokio::time::Instant::now();
    let emitted = not_hanging("the emit", bus.emit(Job(1))).await.unwrap();
    assert_eq!((emitted.delivered(), emitted.failures().len(), began.elapsed().as_secs()), (1, 0, 0));
}

/// A bus whose handler of `Job` shuts it down.
fn shut_down_from_inside(queued: bool) -> (EventBus, Arc<Work>) {
    let (bus, work) = (EventBus::new(), Work::new());
    let (own, noted) = (bus.clone(), Arc::clone(&work));
    let subscribe = bus.subscribe::<Job>();
    let subscribe = if queued { subscribe.queued(4, Overflow::Wait) } else { subscribe };
    subscribe.handle(move |_: Arc<Job>| {
        let (own, noted) = (own.clone(), Arc::clone(&noted));
        async move {
            noted.note("begin");
            let report = own.shutdown(DEADLINE).await;
            noted.note(format!("{report:?}"));
        }
    });
    (bus, work)
}

#[tokio::test(start_paused = true)]
async fn b15_shutdown_from_inside_of_a_queued_handler_ends_with_its_deadline() {
    let (bus, work) = shut_down_from_inside(true);
    for job in 0..2 {
        bus.emit(Job(job)).await.unwrap();
    }
    work.until("begin").await;
    let began = tokio::time::Instant::now();
    // It is part of what it waits for, so it is cut itself.
    bus.settle().await;
    assert_eq!(began.elapsed(), DEADLINE);
    assert!(not_hanging("shutdown", bus.shutdown(DEADLINE)).await.is_clean());
    assert_eq!(bus.listeners()[0].calls, 1, "the second job was cut");
}

#[tokio::test(start_paused = true)]
async fn b15_shutdown_from_inside_of_a_detached_handler_ends_with_its_deadline() {
    let (bus, work) = shut_down_from_inside(false);
    let detached = bus.emit_detached(Job(0)).unwrap();
    work.until("begin").await;
    let began = tokio::time::Instant::now();
    assert!(tokio::time::timeout(2 * DEADLINE, detached).await.is_ok(), "the detached emit hangs");
    assert_eq!(began.elapsed(), DEADLINE);
    assert!(not_hanging("shutdown", bus.shutdown(DEADLINE)).await.is_clean());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b15_a_cut_ends_everything_on_many_threads() {
    for _ in 0..200 {
        let bus = EventBus::new();
        bus.subscribe::<Job>().queued(2, Overflow::Wait).concurrency(2).handle(async |_: Arc<Job>| {
            std::future::pending::<()>().await;
        });
        bus.on(async |_: Arc<Next>| std::future::pending::<()>().await);
        let detached: Vec<_> =
            (0..4).flat_map(|n| [bus.emit_detached(Job(n)).unwrap(), bus.emit_detached(Next(n)).unwrap()]).collect();
        assert!(!bus.shutdown(Duration::ZERO).await.is_clean());
        for emit in detached {
            _ = not_hanging("a detached emit", emit).await;
        }
        assert!(not_hanging("shutdown", bus.shutdown(DEADLINE)).await.is_clean());
        assert_eq!(bus.listeners()[0].queue_depth, 0);
    }
}
