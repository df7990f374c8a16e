//! The test kit (promise B20).

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Once};

use oyez::testing::Recorder;
use oyez::{Event, EventBus, Overflow, Pattern};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "user.created")]
struct User {
    id: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "order.paid")]
struct Paid(u64);

#[derive(Debug, PartialEq, Event)]
#[event(name = "session.secret", local)]
struct Secret(&'static str);

/// Emits two users, an order and a local event.
async fn emit_some(bus: &EventBus) {
    assert!(bus.emit(User { id: 1 }).await.is_ok());
    assert!(bus.emit_json("order.paid", json!(7)).await.is_ok());
    assert!(bus.emit(Secret("hidden")).await.is_ok());
    assert!(bus.emit(User { id: 2 }).await.is_ok());
}

#[tokio::test]
async fn b20_the_recorder_keeps_what_was_emitted_in_order_by_type_and_by_name() {
    let bus = EventBus::new();
    bus.emit(User { id: 0 }).await.unwrap();
    let recorder = Recorder::new(&bus);
    emit_some(&bus).await;
    assert_eq!(recorder.names(), ["user.created", "order.paid", "session.secret", "user.created"]);
    assert_eq!(recorder.events::<User>(), [Arc::new(User { id: 1 }), Arc::new(User { id: 2 })]);
    assert_eq!(recorder.events::<Paid>(), [Arc::new(Paid(7))]);
    assert_eq!(recorder.events::<Secret>(), [Arc::new(Secret("hidden"))]);
    let named = recorder.named("order.paid");
    assert_eq!((named.len(), named[0].json()), (1, Some(json!(7))));
    assert_eq!(recorder.all().iter().map(|recorded| recorded.context.depth()).collect::<Vec<_>>(), [0; 4]);
}

#[tokio::test]
async fn b20_the_recorder_sees_nested_posted_and_queued_events() {
    let bus = EventBus::new();
    let recorder = Recorder::new(&bus);
    let own = bus.clone();
    bus.subscribe::<User>().queued(4, Overflow::Wait).handle(move |user: Arc<User>| {
        let own = own.clone();
        async move {
            own.emit(Paid(user.id)).await.unwrap();
            own.post(Secret("hidden")).unwrap();
        }
    });
    bus.post(User { id: 1 }).unwrap();
    bus.settle().await;
    recorder.assert_names(&["user.created", "order.paid", "session.secret"]);
    let all = recorder.all();
    assert_eq!(all.iter().map(|recorded| recorded.context.depth()).collect::<Vec<_>>(), [0, 1, 1]);
    assert_eq!(all[1].context.causation_id(), Some(all[0].context.id()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b20_the_recorder_loses_nothing_among_racing_emitters() {
    let bus = EventBus::new();
    let recorder = Recorder::new(&bus);
    let emitters: Vec<_> = (0..4)
        .map(|_| {
            let bus = bus.clone();
            tokio::spawn(async move {
                for id in 0..2_500 {
                    bus.emit(User { id }).await.unwrap();
                }
            })
        })
        .collect();
    for emitter in emitters {
        emitter.await.unwrap();
    }
    recorder.assert_count::<User>(10_000);
}

#[tokio::test]
async fn b20_a_recorder_of_a_pattern_keeps_its_names_only() {
    let bus = EventBus::new();
    let pattern: Pattern = "user.*".parse().unwrap();
    let recorder = Recorder::of(&bus, pattern);
    emit_some(&bus).await;
    recorder.assert_names(&["user.created", "user.created"]);
}

#[tokio::test]
async fn b20_take_forgets_and_drop_ends_the_recording() {
    let bus = EventBus::new();
    let recorder = Recorder::new(&bus);
    emit_some(&bus).await;
    assert_eq!(recorder.take().len(), 4);
    recorder.assert_names(&[]);
    emit_some(&bus).await;
    assert_eq!(recorder.take().len(), 4);
    drop(recorder);
    assert_eq!((bus.listener_count::<User>(), bus.listeners().len()), (0, 0));
    assert_eq!(bus.emit(User { id: 1 }).await.unwrap().delivered(), 0);
}

#[tokio::test]
async fn b20_assertions_hold_where_they_should() {
    let bus = EventBus::new();
    let recorder = Recorder::new(&bus);
    recorder.assert_names(&[]);
    recorder.assert_not_emitted::<Paid>();
    recorder.assert_count::<Paid>(0);
    emit_some(&bus).await;
    recorder.assert_names(&["user.created", "order.paid", "session.secret", "user.created"]);
    recorder.assert_count::<User>(2);
    assert_eq!(recorder.assert_emitted::<User>(|user| user.id > 0).id, 1, "the first that fits");
    assert_eq!(recorder.assert_emitted::<Paid>(|_| true).0, 7);
    drop(recorder.take());
    recorder.assert_not_emitted::<User>();
}

/// The line and the text of the panic of `assertion`.
fn failure(assertion: impl FnOnce()) -> (u32, String) {
    thread_local! {
        static LAST: RefCell<Option<(u32, String)>> = const { RefCell::new(None) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let text = panic.payload_as_str().unwrap_or_default().to_owned();
            let line = panic.location().filter(|location| location.file() == file!()).map_or(0, |at| at.line());
            LAST.set(Some((line, text)));
            before(panic);
        }));
    });
    assert!(catch_unwind(AssertUnwindSafe(assertion)).is_err(), "the assertion holds");
    LAST.take().unwrap_or_default()
}

#[tokio::test]
async fn b20_failing_assertions_say_what_was_expected_and_what_was_emitted() {
    let bus = EventBus::new();
    let recorder = Recorder::new(&bus);
    let (line, text) = failure(|| recorder.assert_names(&["user.created"]));
    assert_eq!(line, line!() - 1, "the panic is in the test's own line");
    assert_eq!(text, "expected the events [\"user.created\"]\nnothing was emitted");

    emit_some(&bus).await;
    let emitted = concat!(
        "what was emitted:",
        "\n   1  user.created  {\"id\":1}",
        "\n   2  order.paid  7",
        "\n   3  session.secret",
        "\n   4  user.created  {\"id\":2}",
    );
    let (line, text) = failure(|| drop(recorder.assert_emitted::<User>(|user| user.id == 3)));
    assert_eq!(line, line!() - 1);
    assert_eq!(text, format!("expected a `user.created` that fits; 2 of that type do not\n{emitted}"));
    let (line, text) = failure(|| recorder.assert_not_emitted::<Secret>());
    assert_eq!(line, line!() - 1);
    assert_eq!(text, format!("expected no `session.secret`, but there are 1\n{emitted}"));
    let (line, text) = failure(|| recorder.assert_count::<Paid>(2));
    assert_eq!(line, line!() - 1);
    assert_eq!(text, format!("expected 2 of `order.paid`, but there are 1\n{emitted}"));
    let (_, text) = failure(|| recorder.assert_names(&["order.paid", "user.created"]));
    assert_eq!(text, format!("expected the events [\"order.paid\", \"user.created\"]\n{emitted}"));
}
