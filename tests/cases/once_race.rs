//! C04: a handler that runs once, while many emit and one removes it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use oyez::{Event, EventBus, Subscription};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::{Barrier, watch};

use crate::flavour::on_each_flavour;
use crate::log_lines::{capture, take_lines};

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "once_race.reply")]
struct Reply {
    n: usize,
}

const ROUNDS: usize = 10_000;
const TASKS: usize = 64;

/// Subscribes H in one of the ways there are.
fn subscribe(bus: &EventBus, round: usize, count: &Arc<AtomicUsize>) -> Subscription {
    let counted = Arc::clone(count);
    let act = move || _ = counted.fetch_add(1, Ordering::SeqCst);
    match round % 4 {
        0 => bus.once(move |_: Arc<Reply>| std::future::ready(act())),
        1 => bus.subscribe::<Reply>().once().handle_sync(move |_, _| act()),
        2 => bus.subscribe_pattern("once_race.*").unwrap().once().handle_sync(move |_, _| act()),
        _ => bus.subscribe::<Reply>().once().filter(|reply| reply.n % 2 == 0).handle_sync(move |_, _| act()),
    }
}

async fn emit(bus: &EventBus, n: usize) {
    let emitted = match n % 8 {
        7 => bus.emit_json("once_race.reply", json!({ "n": n })).await,
        _ => bus.emit(Reply { n }).await,
    };
    assert!(emitted.unwrap().failures().is_empty());
}

#[test]
fn c04_a_once_handler_runs_or_is_removed_and_never_both() {
    capture();
    on_each_flavour(|_| async {
        let bus = EventBus::new();
        let barrier = Arc::new(Barrier::new(TASKS + 2));
        let count = Arc::new(AtomicUsize::new(0));
        let (subscribed, current) = watch::channel(None::<Subscription>);
        let emitters: Vec<_> = (0..TASKS)
            .map(|n| {
                let (bus, barrier) = (bus.clone(), Arc::clone(&barrier));
                tokio::spawn(async move {
                    for _ in 0..ROUNDS {
                        barrier.wait().await;
                        emit(&bus, n).await;
                        barrier.wait().await;
                    }
                })
            })
            .collect();
        let remover = tokio::spawn({
            let barrier = Arc::clone(&barrier);
            async move {
                let mut removed = 0;
                for round in 0..ROUNDS {
                    barrier.wait().await;
                    // Sometimes later, so that both outcomes happen.
                    (0..round % 3).for_each(|_| std::thread::yield_now());
                    let off = current.borrow().as_ref().is_some_and(Subscription::off);
                    removed += usize::from(off);
                    barrier.wait().await;
                }
                removed
            }
        });
        let mut ran = 0;
        for round in 0..ROUNDS {
            count.store(0, Ordering::SeqCst);
            let subscription = subscribe(&bus, round, &count);
            subscribed.send_replace(Some(subscription.clone()));
            barrier.wait().await;
            barrier.wait().await;
            let runs = count.load(Ordering::SeqCst);
            assert!(runs <= 1, "it ran {runs} times");
            ran += runs;
            assert!(!subscription.off() && !subscription.is_on());
        }
        let removed = remover.await.unwrap();
        for emitter in emitters {
            emitter.await.unwrap();
        }
        assert_eq!(ran + removed, ROUNDS, "`off` was true {removed} times and it ran {ran} times");
        assert!(ran > 0);
        assert_eq!((bus.listeners().len(), bus.stats().subscriptions), (0, 0));
    });
    assert!(take_lines(Reply::NAME).is_empty());
}
