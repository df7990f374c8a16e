//! C12: a slow handler delays nobody, and no emit overtakes another.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use oyez::{Event, EventBus, Overflow};
use tokio::time::Instant;

use crate::flavour::on_each_flavour;
use crate::gate::Gate;
use crate::journal::Journal;

#[derive(Debug, Event)]
#[event(name = "overlap.step", local)]
struct Step(usize);

type Seen = Journal<(&'static str, usize)>;

/// F, which is done at once.
fn on_fast(bus: &EventBus, seen: &Seen) {
    bus.with(seen.clone()).on(async |seen: Arc<Seen>, step: Arc<Step>| seen.push(("F", step.0)));
}

#[tokio::test(start_paused = true)]
async fn c12_the_slow_one_delays_neither_the_fast_one_nor_the_next_emit() {
    let (bus, seen) = (EventBus::new(), Journal::new());
    bus.with(seen.clone()).on(async |seen: Arc<Seen>, step: Arc<Step>| {
        seen.push(("S starts", step.0));
        tokio::time::sleep(Duration::from_millis(100) * (6 - u32::try_from(step.0).unwrap())).await;
        seen.push(("S ends", step.0));
    });
    on_fast(&bus, &seen);
    let begin = Instant::now();
    (1..=5).for_each(|n| bus.post(Step(n)).unwrap());
    tokio::time::sleep(Duration::from_millis(99)).await;
    assert_eq!(seen.take(), (1..=5).flat_map(|n| [("S starts", n), ("F", n)]).collect::<Vec<_>>());
    // The sixth waits for its own handlers, not for those of the others.
    bus.emit(Step(6)).await.unwrap();
    assert_eq!(begin.elapsed(), Duration::from_millis(99));
    assert_eq!(seen.take(), [("S starts", 6), ("S ends", 6), ("F", 6)]);
    bus.settle().await;
    assert_eq!(begin.elapsed(), Duration::from_millis(500));
    assert_eq!(seen.take(), (1..=5).rev().map(|n| ("S ends", n)).collect::<Vec<_>>());
}

#[test]
fn c12_each_handler_starts_the_events_in_their_order() {
    on_each_flavour(|_| async {
        for queued in [false, true] {
            let (bus, seen) = (EventBus::new(), Journal::new());
            let gates: [Gate; 7] = std::array::from_fn(|_| Gate::closed());
            let with = Arc::new((seen.clone(), gates.clone()));
            let slow = bus.subscribe::<Step>();
            let slow = if queued { slow.queued(8, Overflow::Wait).concurrency(8) } else { slow };
            slow.handle_with(with, async |with: Arc<(Seen, [Gate; 7])>, step: Arc<Step>| {
                with.0.push(("S starts", step.0));
                with.1[step.0].passed().await;
                with.0.push(("S ends", step.0));
            });
            on_fast(&bus, &seen);
            (1..=5).for_each(|n| bus.post(Step(n)).unwrap());
            let mut entries = Vec::new();
            while entries.len() < 10 {
                tokio::task::yield_now().await;
                entries.extend(seen.take());
            }
            for name in ["S starts", "F"] {
                let order: Vec<_> = entries.iter().filter(|entry| entry.0 == name).map(|entry| entry.1).collect();
                assert_eq!(order, [1, 2, 3, 4, 5], "{name}, queued: {queued}");
            }
            let mut sixth = Box::pin(bus.emit(Step(6)));
            if !queued {
                assert!(sixth.as_mut().now_or_never().is_none());
            }
            gates[6].open();
            assert_eq!(sixth.await.unwrap().delivered(), 2);
            for n in (1..=5).rev() {
                gates[n].open();
            }
            bus.settle().await;
        }
    });
}
