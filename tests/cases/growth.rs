//! C10: names that come once, and waits that lose a race, leave nothing behind.

use std::ops::Range;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use allocation_counter::measure;
use futures_util::FutureExt;
use oyez::{AnyEvent, Event, EventBus, Overflow};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::flavour::{Flavour, finishes};

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "growth.reply")]
struct Reply {
    n: u64,
}

const REQUESTS: u64 = 1_000_000;
const WAITS: u64 = 100_000;

/// The bus as it was before anything happened; its memory is counted by the caller.
fn assert_empty(bus: &EventBus) {
    assert!(bus.listeners().is_empty());
    assert_eq!(bus.listener_count::<Reply>(), 0);
    let stats = bus.stats();
    assert_eq!((stats.subscriptions, stats.remembered_names), (0, 0));
}

/// Runs `work` for each number on a thread whose memory is counted: after a tenth of the way nothing may be added, not a
/// byte.
fn grows_by_nothing(runtime: Runtime, rounds: u64, work: impl AsyncFn(&EventBus, u64) + Send + 'static) {
    finishes(move || {
        let bus = EventBus::new();
        let run = async |rounds: Range<u64>| {
            for n in rounds {
                work(&bus, n).await;
            }
        };
        runtime.block_on(run(0..rounds / 10));
        let grown = measure(|| runtime.block_on(run(rounds / 10..rounds)));
        assert_empty(&bus);
        assert_eq!((grown.count_current, grown.bytes_current), (0, 0), "{grown:?}");
    });
}

/// A name that is used for one request.
async fn request(bus: &EventBus, n: u64) {
    let answered = Arc::new(AtomicU64::new(0));
    let noted = Arc::clone(&answered);
    let name = format!("rpc.{n:07}");
    let once = bus.subscribe_pattern(&name).unwrap().once();
    once.handle_sync(move |event: &AnyEvent, _| _ = noted.fetch_add(event.name().len() as u64, Ordering::Relaxed));
    bus.emit_json(name.as_str(), json!(null)).await.unwrap();
    assert_eq!(answered.load(Ordering::Relaxed), name.len() as u64);
}

#[test]
fn c10_a_million_names_that_are_used_once() {
    grows_by_nothing(Flavour::CurrentThread.runtime(), REQUESTS, request);
}

#[test]
fn c10_names_that_are_used_once_on_many_threads() {
    grows_by_nothing(Flavour::MultiThread.runtime(), REQUESTS / 10, request);
}

/// Names that nobody subscribed to are remembered up to a bound, and forgotten when a handler comes or goes.
#[test]
fn c10_names_that_nobody_waits_for_are_bounded() {
    let bus = EventBus::new();
    for n in 0..100_000 {
        bus.emit_json(format!("rpc.{n}"), json!(null)).now_or_never().unwrap().unwrap();
        assert!(bus.stats().remembered_names <= 1024);
    }
    let all = bus.on_pattern("*", async |_: AnyEvent| ()).unwrap();
    assert_eq!(bus.stats().remembered_names, 0);
    assert!(all.off());
    assert_empty(&bus);
}

#[test]
fn c10_guards_streams_and_once_leave_nothing() {
    grows_by_nothing(Flavour::CurrentThread.runtime(), WAITS, async |bus: &EventBus, n| {
        match n % 7 {
            0 => drop(bus.on(async |_: Arc<Reply>| ()).guard()),
            1 => drop(bus.stream::<Reply>(4)),
            2 => _ = bus.once(async |_: Arc<Reply>| ()),
            3 => drop(bus.subscribe_pattern("growth.*").unwrap().stream(4)),
            4 => _ = bus.subscribe::<Reply>().once().timeout(Duration::from_secs(1)).handle(async |_: Arc<Reply>| ()),
            5 => drop(bus.on_pattern(format!("growth.{n}.*"), async |_: AnyEvent| ()).unwrap().guard()),
            _ => drop(bus.subscribe::<Reply>().queued(4, Overflow::Wait).handle(async |_: Arc<Reply>| ()).guard()),
        }
        bus.emit(Reply { n }).await.unwrap();
        bus.emit_json("growth.reply", json!({ "n": n })).await.unwrap();
        // What is remembered of the one name that stays; taken away by the next change.
        drop(bus.on(async |_: Arc<Reply>| ()).guard());
    });
}

/// Waits for a reply that does not come, against a token that outlives all waits.
async fn lose(bus: &EventBus, token: &mut watch::Receiver<()>, n: u64) {
    tokio::select! {
        biased;
        _ = bus.wait_for::<Reply>(move |reply| reply.n == n) => unreachable!("nobody replies"),
        _ = token.changed() => unreachable!("nobody cancels"),
        () = tokio::time::sleep(Duration::ZERO) => {}
    }
}

#[test]
fn c10_waits_that_lose_leave_nothing() {
    let paused = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let (_never, token) = watch::channel(());
    let cancelled = token.clone();
    grows_by_nothing(paused, WAITS, async move |bus, n| lose(bus, &mut cancelled.clone(), n).await);
    // Without paused time each of them takes a millisecond.
    let few = WAITS / 100;
    grows_by_nothing(Flavour::MultiThread.runtime(), few, async move |bus, n| lose(bus, &mut token.clone(), n).await);
}

#[test]
fn c10_waits_that_win_and_waits_that_lose_by_turns() {
    grows_by_nothing(Flavour::CurrentThread.runtime(), WAITS, async |bus: &EventBus, n| {
        let mut reply = pin!(bus.wait_for::<Reply>(move |reply| reply.n == n));
        assert!(reply.as_mut().now_or_never().is_none());
        bus.emit(Reply { n: n + n % 2 }).await.unwrap();
        if n % 2 == 0 {
            assert_eq!(reply.await.unwrap().n, n);
        } else {
            assert!(reply.now_or_never().is_none());
        }
    });
}
