//! `settle`: everything so far is done, with all that follows from it, and nothing else is waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use oyez::{EventBus, Overflow};

use crate::{Job, Next, Work, not_hanging, waits};

#[tokio::test(start_paused = true)]
async fn b15_settle_of_an_idle_bus_returns_at_once() {
    let bus = EventBus::new();
    assert!(!waits(&mut Box::pin(bus.settle())).await);
    bus.on_sync(|_: &Job, _| {});
    bus.emit(Job(1)).await.unwrap();
    assert!(!waits(&mut Box::pin(bus.settle())).await);
}

#[tokio::test(start_paused = true)]
async fn b15_settle_waits_for_what_is_queued_posted_and_detached() {
    type Emit = fn(&EventBus);
    let ways: [(bool, Emit); 3] = [
        (true, |bus| drop(bus.emit_detached(Job(1)))),
        (false, |bus| drop(bus.emit_detached(Job(1)))),
        (false, |bus| assert!(bus.post(Job(1)).is_ok())),
    ];
    for (queued, emit) in ways {
        let (bus, work) = (EventBus::new(), Work::new());
        let subscribe = bus.subscribe::<Job>();
        let subscribe = if queued { subscribe.queued(4, Overflow::Wait) } else { subscribe };
        subscribe.handle_with(Arc::clone(&work), Work::job);
        emit(&bus);
        let mut settle = Box::pin(bus.settle());
        work.until("begin 1").await;
        assert!(waits(&mut settle).await);
        work.release();
        not_hanging("settle", settle).await;
        assert_eq!(work.done(), ["begin 1", "end 1"]);
    }
}

#[tokio::test(start_paused = true)]
async fn b15_settle_waits_for_all_that_follows() {
    let (bus, work) = (EventBus::new(), Work::new());
    // Each event causes the next in another way, down to none.
    let (own, noted) = (bus.clone(), Arc::clone(&work));
    bus.subscribe::<Job>().queued(1, Overflow::Wait).handle(move |job: Arc<Job>| {
        let (own, noted) = (own.clone(), Arc::clone(&noted));
        async move {
            tokio::task::yield_now().await;
            noted.note(format!("job {}", job.0));
            match job.0 {
                0 => {}
                n if n % 2 == 0 => own.post(Next(n - 1)).unwrap(),
                n => drop(own.emit_detached(Next(n - 1)).unwrap()),
            }
        }
    });
    let (own, noted) = (bus.clone(), Arc::clone(&work));
    bus.on(move |next: Arc<Next>| {
        let (own, noted) = (own.clone(), Arc::clone(&noted));
        async move {
            tokio::task::yield_now().await;
            noted.note(format!("next {}", next.0));
            if next.0 > 0 {
                own.emit(Job(next.0 - 1)).await.unwrap();
            }
        }
    });
    bus.post(Job(20)).unwrap();
    not_hanging("settle", bus.settle()).await;
    assert_eq!(work.done().len(), 21);
    assert_eq!(work.done().last().map(String::as_str), Some("job 0"));
}

#[tokio::test(start_paused = true)]
async fn b15_settle_does_not_wait_for_what_comes_later() {
    let (bus, work) = (EventBus::new(), Work::new());
    bus.subscribe::<Job>().concurrency(2).handle_with(Arc::clone(&work), Work::job);
    let noted = Arc::clone(&work);
    bus.on(move |_: Arc<Next>| {
        let noted = Arc::clone(&noted);
        async move { noted.until("nothing").await }
    });
    bus.emit(Job(1)).await.unwrap();
    let mut settle = Box::pin(bus.settle());
    assert!(waits(&mut settle).await);
    bus.post(Next(1)).unwrap();
    bus.emit(Job(2)).await.unwrap();
    work.until("begin 2").await;
    work.permits.add_permits(1);
    work.until("end 1").await;
    not_hanging("settle", settle).await;
    assert_eq!(work.done(), ["begin 1", "begin 2", "end 1"]);
}

#[tokio::test(start_paused = true)]
async fn b15_settle_does_not_wait_for_emits_that_callers_wait_for() {
    let (bus, work) = (EventBus::new(), Work::new());
    bus.with(Arc::clone(&work)).on(Work::job);
    let mut emit = Box::pin(bus.emit(Job(1)));
    assert!(waits(&mut emit).await);
    not_hanging("settle", bus.settle()).await;
    work.release();
    not_hanging("the emit", emit).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b15_settle_returns_while_others_go_on_emitting() {
    let bus = EventBus::new();
    let (count, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    bus.subscribe::<Job>().queued(16, Overflow::Wait).handle(async |_: Arc<Job>| tokio::task::yield_now().await);
    let counted = Arc::clone(&count);
    bus.subscribe::<Next>().queued(1024, Overflow::Wait).handle_sync(move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    // The queue of `Job` is never empty while this flows.
    let flow: Vec<_> = (0..2)
        .map(|_| {
            let (bus, stop) = (bus.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                while !stop.load(Ordering::SeqCst) {
                    bus.emit(Job(0)).await.unwrap();
                    bus.post(Job(0)).unwrap();
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    for round in 1..=200 {
        bus.emit(Next(round)).await.unwrap();
        bus.post(Next(round)).unwrap();
        not_hanging("settle", bus.settle()).await;
        assert_eq!(count.load(Ordering::SeqCst), 2 * round);
    }
    stop.store(true, Ordering::SeqCst);
    for emitter in flow {
        emitter.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn b15_settle_of_one_bus_does_not_wait_for_another() {
    let (one, two, work) = (EventBus::new(), EventBus::new(), Work::new());
    two.subscribe::<Job>().queued(4, Overflow::Wait).handle_with(Arc::clone(&work), Work::job);
    let other = two.clone();
    one.subscribe::<Next>().queued(4, Overflow::Wait).handle(move |next: Arc<Next>| {
        let other = other.clone();
        async move { drop(other.emit(Job(next.0)).await.unwrap()) }
    });
    one.emit(Next(1)).await.unwrap();
    not_hanging("settle", one.settle()).await;
    let mut settle = Box::pin(two.settle());
    assert!(waits(&mut settle).await, "the event it caused there is waited for there");
    work.release();
    not_hanging("settle", settle).await;
}

#[tokio::test(start_paused = true)]
async fn b15_several_settles_at_once_all_return() {
    let (bus, work) = (EventBus::new(), Work::new());
    bus.subscribe::<Job>().queued(8, Overflow::Wait).handle_with(Arc::clone(&work), Work::job);
    let mut settles = Vec::new();
    for job in 0..5 {
        bus.emit(Job(job)).await.unwrap();
        let mut settle = Box::pin(bus.settle());
        assert!(waits(&mut settle).await);
        settles.push(settle);
    }
    for (job, settle) in (0..5).zip(settles) {
        work.permits.add_permits(1);
        not_hanging("settle", settle).await;
        assert!(work.done().contains(&format!("end {job}")));
    }
}
