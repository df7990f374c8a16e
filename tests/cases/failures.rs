//! C05 and C06: errors and panics of handlers.

use std::sync::Arc;
use std::time::Duration;

use oyez::{AnyEvent, Event, EventBus, HandlerErrorKind, Overflow, Subscription};
use serde::{Deserialize, Serialize};

use crate::flavour::{Flavour, on_each_flavour};
use crate::journal::Journal;
use crate::log_lines::{capture, take_lines};

/// Declares an event with a number, under a name of its own: the log is shared by all tests.
macro_rules! numbered {
    ($event:ident, $name:literal) => {
        #[derive(Debug, Serialize, Deserialize, Event)]
        #[event(name = $name)]
        struct $event {
            id: u32,
        }
    };
}

numbered!(OrderPaid, "failures.order.paid");
numbered!(Payload, "failures.payload");

fn seen(bus: &EventBus, name: &'static str, journal: &Journal<(&'static str, u32)>) {
    bus.with((name, journal.clone())).on(
        async |with: Arc<(&'static str, Journal<(&'static str, u32)>)>, order: Arc<OrderPaid>| {
            with.1.push((with.0, order.id));
        },
    );
}

#[test]
fn c05_an_error_stops_nobody_and_is_told_to_the_emitter_and_the_log() {
    capture();
    on_each_flavour(|_| async {
        let (bus, journal) = (EventBus::new(), Journal::new());
        seen(&bus, "A", &journal);
        let noted = journal.clone();
        let b = bus.subscribe::<OrderPaid>().name("B").handle(move |order: Arc<OrderPaid>| {
            noted.push(("B", order.id));
            std::future::ready(Err("db down"))
        });
        seen(&bus, "C", &journal);
        for id in 1..=3 {
            if id == 2 {
                bus.post(OrderPaid { id }).unwrap();
                bus.settle().await;
            } else {
                let emitted = bus.emit(OrderPaid { id }).await.unwrap();
                assert_eq!((emitted.delivered(), emitted.failures().len()), (2, 1));
                let failure = &emitted.failures()[0];
                assert_eq!((failure.name(), failure.subscription()), (Some("B"), b.id()));
                assert_eq!(failure.error().kind(), HandlerErrorKind::Failed);
                assert_eq!(failure.reason().matches("db down").count(), 1);
            }
            assert_eq!(journal.take(), [("A", id), ("B", id), ("C", id)]);
            let lines = take_lines(OrderPaid::NAME);
            assert_eq!(lines.len(), 1);
            assert_eq!((lines[0].level, lines[0].field("handler")), (tracing::Level::ERROR, "B"));
            assert!(lines[0].field("error").contains("db down"));
        }
    });
}

/// When P panics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    AfterAWait,
    BeforeTheFirstAwait,
    BeforeThereIsAFuture,
}

/// Q sees every payload; P panics on 13.
fn subscribe_p(bus: &EventBus, moment: Moment, kind: &str, saw: &Journal<(&'static str, u32)>) -> Subscription {
    let saw = saw.clone();
    let act = move |id: u32| {
        let saw = saw.clone();
        let unlucky = move |now: Moment| assert!(id != 13 || now != moment, "unlucky {id}");
        unlucky(Moment::BeforeThereIsAFuture);
        async move {
            unlucky(Moment::BeforeTheFirstAwait);
            tokio::time::sleep(Duration::from_millis(10)).await;
            unlucky(Moment::AfterAWait);
            saw.push(("P", id));
        }
    };
    let exact = bus.subscribe::<Payload>().name("P");
    match kind {
        "pattern" => {
            let pattern = bus.subscribe_pattern("failures.*").unwrap().name("P");
            pattern.handle(move |event: AnyEvent| act(event.downcast::<Payload>().unwrap().id))
        }
        "timeout" => exact.timeout(Duration::from_secs(60)).handle(move |payload: Arc<Payload>| act(payload.id)),
        "queue" => exact.queued(8, Overflow::Wait).handle(move |payload: Arc<Payload>| act(payload.id)),
        _ => exact.handle(move |payload: Arc<Payload>| act(payload.id)),
    }
}

async fn panics(moment: Moment, kind: &str) {
    let (bus, saw) = (EventBus::new(), Journal::new());
    let p = subscribe_p(&bus, moment, kind, &saw);
    let noted = saw.clone();
    bus.on_sync(move |payload: &Payload, _| noted.push(("Q", payload.id)));
    for id in [12, 13, 14] {
        let emitted = bus.emit(Payload { id }).await.unwrap();
        bus.settle().await;
        let mut saw = saw.take();
        saw.sort_unstable();
        let lines = take_lines(Payload::NAME);
        if id != 13 {
            assert_eq!((saw, lines.len()), (vec![("P", id), ("Q", id)], 0), "{moment:?} {kind}");
            continue;
        }
        assert_eq!((saw, lines.len()), (vec![("Q", id)], 1), "{moment:?} {kind}");
        assert_eq!((lines[0].field("handler"), lines[0].field("subscription")), ("P", p.id().to_string().as_str()));
        assert!(lines[0].field("error").contains("the handler panicked: unlucky 13"));
        if kind != "queue" {
            assert_eq!(emitted.failures()[0].error().kind(), HandlerErrorKind::Panicked);
            assert_eq!(emitted.failures()[0].subscription(), p.id());
        }
    }
    // No lock was poisoned.
    assert!(bus.on(async |_: Arc<Payload>| ()).off());
    assert!(p.off());
    assert_eq!(bus.emit(Payload { id: 13 }).await.unwrap().delivered(), 1);
}

#[test]
fn c06_a_panic_is_reported_and_the_handler_lives_on() {
    capture();
    for flavour in Flavour::ALL {
        flavour.runtime().block_on(async {
            for moment in [Moment::AfterAWait, Moment::BeforeTheFirstAwait, Moment::BeforeThereIsAFuture] {
                for kind in ["exact", "pattern", "timeout", "queue"] {
                    panics(moment, kind).await;
                }
            }
        });
    }
}
