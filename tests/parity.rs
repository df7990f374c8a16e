//! What other event systems offer and programs that come from them rely on: rows D1 to D6, K4 and K7.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use oyez::{AnyEvent, Context, Event, EventBus, EventMap, HandlerErrorKind, Source};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "order.placed")]
struct Placed {
    id: u64,
    lines: Vec<String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "order.paid")]
struct Paid {
    id: u64,
}

fn placed(id: u64) -> Placed {
    Placed { id, lines: vec!["a book".to_owned()] }
}

/// What handlers saw, in order.
type Seen<T> = Arc<Mutex<Vec<T>>>;

fn add<T>(seen: &Seen<T>, what: T) {
    seen.lock().unwrap_or_else(PoisonError::into_inner).push(what);
}

fn take<T>(seen: &Seen<T>) -> Vec<T> {
    std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner))
}

#[tokio::test]
async fn d1_a_typed_event_map_and_names_that_nobody_registered() {
    #[derive(Debug, EventMap)]
    enum Orders {
        Placed(Arc<Placed>),
        Paid(Arc<Paid>),
    }

    let bus = EventBus::new();
    let (typed, untyped) = (Seen::default(), Seen::<(String, Option<Value>)>::default());
    let into = Arc::clone(&typed);
    bus.on_map(move |event: Orders| {
        match event {
            Orders::Placed(placed) => add(&into, format!("placed {}", placed.id)),
            Orders::Paid(paid) => add(&into, format!("paid {}", paid.id)),
        }
        std::future::ready(())
    });
    let into = Arc::clone(&untyped);
    bus.on_pattern("shipping.**", move |event: AnyEvent| {
        add(&into, (event.name().to_owned(), event.json()));
        std::future::ready(())
    })
    .unwrap();

    bus.emit(placed(1)).await.unwrap();
    bus.emit_json("order.paid", json!({ "id": 1 })).await.unwrap();
    bus.emit_json("shipping.label.printed", json!({ "any": ["thing"] })).await.unwrap();
    assert_eq!(take(&typed), ["placed 1", "paid 1"]);
    assert_eq!(take(&untyped), [("shipping.label.printed".to_owned(), Some(json!({ "any": ["thing"] })))]);
}

#[tokio::test]
async fn d2_on_once_off_emit_remove_all_and_listener_count() {
    let (bus, seen) = (EventBus::new(), Seen::default());
    let noting = |name: &'static str| {
        let seen = Arc::clone(&seen);
        move |_: Arc<Placed>| {
            add(&seen, name);
            std::future::ready(())
        }
    };
    let on = bus.on(noting("on"));
    let once = bus.once(noting("once"));
    let other = bus.on(noting("other"));
    assert_eq!((bus.listener_count::<Placed>(), bus.listener_count_of("order.placed")), (3, 3));

    assert_eq!(bus.emit(placed(1)).await.unwrap().delivered(), 3);
    assert_eq!(take(&seen), ["on", "once", "other"]);
    assert_eq!(bus.listener_count::<Placed>(), 2);
    assert!(!once.off(), "it ran, so it is gone");
    assert!(on.off() && !on.off());
    assert_eq!(bus.emit(placed(2)).await.unwrap().delivered(), 1);
    assert_eq!(take(&seen), ["other"]);

    bus.on(async |_: Arc<Paid>| {});
    assert_eq!(bus.remove_all_of::<Placed>(), 1);
    assert_eq!((bus.listener_count::<Placed>(), bus.listener_count::<Paid>()), (0, 1));
    assert_eq!(bus.remove_all(), 1);
    assert_eq!(bus.emit(placed(3)).await.unwrap().delivered(), 0);
    assert!(!other.off() && take(&seen).is_empty());
}

#[tokio::test]
async fn d3_one_bus_for_the_process_to_get_set_and_reset() {
    // The only test of this file that touches it.
    let first = EventBus::global();
    assert!(EventBus::global().is(&first));
    let seen = Seen::default();
    let into = Arc::clone(&seen);
    oyez::on_sync(move |paid: &Paid, _| add(&into, paid.id));
    oyez::emit(Paid { id: 1 }).await.unwrap();

    let mine = EventBus::new();
    assert!(EventBus::set_global(mine.clone()).is_some_and(|before| before.is(&first)));
    oyez::emit(Paid { id: 2 }).await.unwrap();
    assert!(EventBus::reset_global().is_some_and(|before| before.is(&mine)));
    oyez::emit(Paid { id: 3 }).await.unwrap();
    assert!(!EventBus::global().is(&first) && !EventBus::global().is(&mine));
    assert_eq!(take(&seen), [1], "each bus has its own handlers");
}

#[tokio::test]
async fn d4_handlers_are_isolated_awaited_in_order_and_counted() {
    let (bus, seen) = (EventBus::new(), Seen::default());
    let noting = |name: &'static str, fails: bool| {
        let seen = Arc::clone(&seen);
        move |_: Arc<Placed>| {
            add(&seen, format!("{name} starts"));
            let seen = Arc::clone(&seen);
            async move {
                tokio::task::yield_now().await;
                add(&seen, format!("{name} ends"));
                if fails { Err("it failed") } else { Ok(()) }
            }
        }
    };
    bus.on(noting("first", false));
    bus.on(noting("second", true));
    bus.on(async |placed: Arc<Placed>| assert!(placed.lines.is_empty(), "the third panics"));
    bus.on(noting("fourth", false));

    let emitted = bus.emit(placed(1)).await.expect("an emit does not fail because a handler does");
    assert_eq!((emitted.delivered(), emitted.failures().len()), (2, 2), "four ran");
    let seen = take(&seen);
    let starts: Vec<_> = seen.iter().filter(|step| step.ends_with("starts")).collect();
    assert_eq!(starts, ["first starts", "second starts", "fourth starts"]);
    assert_eq!(seen.iter().filter(|step| step.ends_with("ends")).count(), 3, "all had ended when emit returned");
}

#[tokio::test]
async fn d5_the_context_tells_name_time_and_source() {
    let (bus, seen) = (EventBus::new(), Seen::default());
    let into = Arc::clone(&seen);
    bus.on_pattern("order.*", move |_: AnyEvent, cx: Context| {
        add(&into, (cx.name().to_owned(), cx.time(), cx.source()));
        std::future::ready(())
    })
    .unwrap();
    let before = SystemTime::now();
    bus.emit(placed(1)).await.unwrap();
    bus.emit_json("order.lost", json!(1)).await.unwrap();
    let after = SystemTime::now();
    let seen = take(&seen);
    assert_eq!(seen.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>(), ["order.placed", "order.lost"]);
    for (_, time, source) in seen {
        assert!((before..=after).contains(&time));
        assert_eq!(source, Source::Local);
    }
}

#[tokio::test]
async fn d5_the_time_is_that_of_the_emit_however_late_it_is_asked_for() {
    let (bus, seen) = (EventBus::new(), Seen::default());
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let (into, passes) = (Arc::clone(&seen), Arc::clone(&gate));
    bus.on(move |_: Arc<Paid>, cx: Context| {
        let (into, passes) = (Arc::clone(&into), Arc::clone(&passes));
        async move {
            _ = passes.acquire().await;
            add(&into, cx.time());
        }
    });
    let emit = tokio::spawn({
        let bus = bus.clone();
        async move { bus.emit(Paid { id: 1 }).await.map(drop) }
    });
    tokio::task::yield_now().await;
    let started = SystemTime::now();
    while SystemTime::now() == started {
        std::thread::yield_now();
    }
    gate.close();
    emit.await.unwrap().unwrap();
    assert!(take(&seen)[0] <= started);
}

#[tokio::test]
async fn d6_a_star_subscribes_to_everything() {
    #[derive(Debug, Event)]
    #[event(name = "local-only", local)]
    struct LocalOnly;

    let (bus, seen) = (EventBus::new(), Seen::default());
    let into = Arc::clone(&seen);
    bus.on_pattern("*", move |event: AnyEvent| {
        add(&into, event.name().to_owned());
        std::future::ready(())
    })
    .unwrap();
    bus.emit(placed(1)).await.unwrap();
    bus.on(async |_: Arc<Paid>| {});
    bus.emit(Paid { id: 1 }).await.unwrap();
    bus.emit(LocalOnly).await.unwrap();
    bus.emit_json("a", json!(1)).await.unwrap();
    bus.emit_json("a.b.c.d", json!(1)).await.unwrap();
    assert_eq!(take(&seen), ["order.placed", "order.paid", "local-only", "a", "a.b.c.d"]);
}

#[tokio::test]
async fn k4_a_handler_that_changes_its_copy_and_fails_touches_no_other() {
    let (bus, seen) = (EventBus::new(), Seen::default());
    bus.on(async |placed: Arc<Placed>| {
        // `Arc<Placed>` gives no `&mut Placed`: to change it is to change a copy.
        let mut own = Arc::unwrap_or_clone(placed);
        own.lines.clear();
        own.id = 0;
        assert!(!own.lines.is_empty(), "it panics with its copy changed");
    });
    bus.on(async |mut placed: Arc<Placed>| {
        Arc::make_mut(&mut placed).lines.push("one more".to_owned());
        tokio::task::yield_now().await;
        Err("it fails with its copy changed")
    });
    for _ in 0..2 {
        let into = Arc::clone(&seen);
        bus.on(move |placed: Arc<Placed>| {
            let into = Arc::clone(&into);
            async move {
                for _ in 0..3 {
                    tokio::task::yield_now().await;
                }
                add(&into, Placed::clone(&placed));
            }
        });
    }
    for _ in 0..2 {
        let emitted = bus.emit(placed(1)).await.unwrap();
        assert_eq!((emitted.delivered(), emitted.failures().len()), (2, 2));
        assert_eq!(take(&seen), [placed(1), placed(1)]);
    }
}

#[tokio::test]
async fn k7_a_handler_that_ends_with_a_failure_counts_as_failed() {
    #[derive(Debug)]
    struct Status(i32);

    impl std::fmt::Display for Status {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "ended with status {}", self.0)
        }
    }

    impl Error for Status {}

    let bus = EventBus::new();
    let failing = bus.subscribe::<Placed>().name("crm").handle(async |_: Arc<Placed>| Err(Status(3)));
    let sync = bus.on_sync(|_: &Placed, _| Err(Status(4)));
    let fine = bus.on(async |_: Arc<Placed>| Ok::<_, Status>(()));
    for _ in 0..2 {
        let emitted = bus.emit(placed(1)).await.unwrap();
        let failures = emitted.failures();
        assert_eq!((emitted.delivered(), failures.len()), (1, 2));
        assert_eq!((failures[0].subscription(), failures[0].name()), (failing.id(), Some("crm")));
        assert_eq!((failures[1].subscription(), failures[1].name()), (sync.id(), None));
        assert!(failures.iter().all(|failure| failure.error().kind() == HandlerErrorKind::Failed));
        let source = failures[0].error().source().and_then(|source| source.downcast_ref::<Status>());
        assert_eq!(source.map(|status| status.0), Some(3));
        assert!(emitted.into_result().is_err(), "who wants an error gets one");
    }
    let seen: Vec<_> = bus.listeners().into_iter().map(|one| (one.id, one.calls, one.failures)).collect();
    assert_eq!(seen, [(failing.id(), 2, 2), (sync.id(), 2, 2), (fine.id(), 2, 0)]);
    let error = bus.listeners().remove(0).last_error.unwrap();
    assert!(error.ends_with("ended with status 3"), "{error}");
}
