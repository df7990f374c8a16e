//! C08: patterns beside exact subscriptions, once, and removed one by one.

use std::sync::Arc;

use oyez::{AnyEvent, Event, EventBus, Subscription};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::flavour::on_each_flavour;
use crate::journal::Journal;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "C")]
struct C;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "C.x")]
struct Cx;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "order.paid")]
struct OrderPaid;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "order.shipped")]
struct OrderShipped;

fn on_pattern(bus: &EventBus, pattern: &'static str, label: &'static str, seen: &Journal<String>) -> Subscription {
    let seen = seen.clone();
    let note = move |event: &AnyEvent, _: &_| seen.push(format!("{label} {}", event.name()));
    bus.subscribe_pattern(pattern).unwrap().handle_sync(note)
}

async fn emit(bus: &EventBus, name: &str, typed: bool) {
    let emitted = match (name, typed) {
        ("C", true) => bus.emit(C).await,
        ("C.x", true) => bus.emit(Cx).await,
        ("order.paid", true) => bus.emit(OrderPaid).await,
        ("order.shipped", true) => bus.emit(OrderShipped).await,
        _ => bus.emit_json(name, json!(null)).await,
    };
    emitted.unwrap().into_result().unwrap();
}

#[test]
fn c08_patterns_and_exact_subscriptions_do_not_disturb_each_other() {
    on_each_flavour(|_| async {
        for (typed, with_exact) in [(true, true), (true, false), (false, true), (false, false)] {
            let (bus, seen) = (EventBus::new(), Journal::new());
            if with_exact {
                let seen = seen.clone();
                bus.on(move |_: Arc<C>| std::future::ready(seen.push("exact C".to_owned())));
            }
            on_pattern(&bus, "C.**", "rest", &seen);
            on_pattern(&bus, "C", "literal", &seen);
            emit(&bus, "C", typed).await;
            // `C` is outside of `C.**`, whether or not somebody subscribed to `C` itself.
            let exact = if with_exact { vec!["exact C"] } else { vec![] };
            assert_eq!(seen.take(), [exact, vec!["literal C"]].concat());
            emit(&bus, "C.x", typed).await;
            assert_eq!(seen.take(), ["rest C.x"]);
        }
    });
}

#[test]
fn c08_a_pattern_once_fires_once_for_all_its_names() {
    on_each_flavour(|_| async {
        for typed in [true, false] {
            let (bus, seen) = (EventBus::new(), Journal::new());
            let noted = seen.clone();
            let once = bus.subscribe_pattern("order.*").unwrap().once();
            let once = once.handle_sync(move |event: &AnyEvent, _| noted.push(event.name().to_owned()));
            for name in ["order.paid", "order.shipped", "order.paid", "order.lost"] {
                emit(&bus, name, typed).await;
            }
            assert_eq!(seen.take(), ["order.paid"]);
            assert!(!once.is_on() && !once.off());
            assert!(bus.listeners().is_empty());
        }
    });
}

#[test]
fn c08_of_two_equal_patterns_one_can_be_removed() {
    on_each_flavour(|_| async {
        for typed in [true, false] {
            for removed in [0, 1] {
                let (bus, seen) = (EventBus::new(), Journal::new());
                let both = [on_pattern(&bus, "*.paid", "0", &seen), on_pattern(&bus, "*.paid", "1", &seen)];
                // Branches that a tree of names would put between them.
                on_pattern(&bus, "order.*", "order", &seen);
                on_pattern(&bus, "invoice.*.paid", "invoice", &seen);
                emit(&bus, "order.paid", typed).await;
                assert_eq!(seen.take(), ["0 order.paid", "1 order.paid", "order order.paid"]);
                assert!(both[removed].off());
                assert!(!both[removed].off() && both[1 - removed].is_on());
                emit(&bus, "order.paid", typed).await;
                assert_eq!(seen.take(), [&format!("{} order.paid", 1 - removed), "order order.paid"]);
                emit(&bus, "invoice.paid", typed).await;
                assert_eq!(seen.take(), [format!("{} invoice.paid", 1 - removed)]);
                assert_eq!(bus.listeners().iter().filter(|listener| &*listener.target == "*.paid").count(), 1);
            }
        }
    });
}
