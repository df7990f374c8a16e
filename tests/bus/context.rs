//! B10: what a handler may know about an event.

use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::FutureExt;
use oyez::{AnyEvent, Context, Event, EventBus, EventId, Overflow, Source};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::flavour::on_each_flavour;
use crate::gate::Gate;
use crate::journal::Journal;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "context.tick", version = 3)]
struct Tick;

/// Subscribes handlers of every kind that hand out their context.
fn subscribe(bus: &EventBus, contexts: &Journal<Context>) {
    let [c1, c2, c3, c4, c5] = std::array::from_fn(|_| contexts.clone());
    bus.on(move |_: Arc<Tick>, cx: Context| std::future::ready(c1.push(cx)));
    bus.on_sync(move |_: &Tick, cx| c2.push(cx.clone()));
    bus.on_pattern("*", move |_: AnyEvent, cx: Context| std::future::ready(c3.push(cx))).unwrap();
    bus.subscribe_pattern("context.tick").unwrap().handle_sync(move |_, cx| c4.push(cx.clone()));
    bus.subscribe::<Tick>().queued(8, Overflow::Wait).handle_sync(move |_, cx| c5.push(cx.clone()));
    bus.with(contexts.clone()).on(async |contexts: Arc<Journal<Context>>, _: Arc<Tick>, cx: Context| {
        tokio::task::yield_now().await;
        contexts.push(cx);
    });
}

#[test]
fn b10_all_handlers_of_an_emit_know_the_same() {
    on_each_flavour(|_| async {
        let (bus, contexts) = (EventBus::new(), Journal::new());
        subscribe(&bus, &contexts);
        let mut ids = BTreeSet::new();
        for typed in [true, false] {
            let before = SystemTime::now();
            match typed {
                true => bus.emit(Tick).await.unwrap(),
                false => bus.emit_json("context.tick", json!(null)).await.unwrap(),
            };
            bus.settle().await;
            let after = SystemTime::now();
            let contexts = contexts.take();
            assert_eq!(contexts.len(), 6);
            for cx in &contexts {
                assert_eq!((cx.name(), cx.version(), cx.depth()), ("context.tick", 3, 0));
                assert_eq!(cx.source(), Source::Local);
                assert_eq!(cx.id(), contexts[0].id());
                assert_eq!(cx.time(), contexts[0].time());
                assert!((before..=after).contains(&cx.time()));
                assert_eq!(cx.correlation_id(), cx.id());
                assert_eq!(cx.causation_id(), None);
                assert!(cx.headers().is_empty());
            }
            assert!(ids.insert(contexts[0].id().clone()));
        }
    });
}

fn contexts_of(bus: &EventBus) -> Journal<Context> {
    let contexts = Journal::new();
    let kept = contexts.clone();
    bus.on_sync(move |_: &Tick, cx| kept.push(cx.clone()));
    contexts
}

#[test]
fn b10_an_id_is_a_uuid_of_version_7() {
    let bus = EventBus::new();
    let contexts = contexts_of(&bus);
    let millis = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
    let mut ids = Vec::new();
    let before = millis();
    for _ in 0..1000 {
        bus.emit(Tick).now_or_never().unwrap().unwrap();
        ids.push(contexts.take()[0].id().to_string());
    }
    let after = millis();
    for id in &ids {
        let parts: Vec<_> = id.split('-').collect();
        assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        assert!(id.chars().all(|c| c == '-' || matches!(c, '0'..='9' | 'a'..='f')), "{id}");
        assert!(parts[2].starts_with('7') && parts[3].starts_with(['8', '9', 'a', 'b']), "{id}");
        let time = u128::from_str_radix(&(parts[0].to_owned() + parts[1]), 16).unwrap();
        assert!((before..=after).contains(&time), "{id}");
    }
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 1000);
    assert!(ids.is_sorted(), "ids are ordered by time");
}

#[test]
fn b10_ids_differ_on_every_thread() {
    const EACH: usize = 2000;
    let bus = EventBus::new();
    let contexts = contexts_of(&bus);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..EACH).for_each(|_| drop(bus.emit(Tick).now_or_never().unwrap().unwrap())));
        }
    });
    let contexts = contexts.take();
    let ids: BTreeSet<_> = contexts.iter().map(Context::id).collect();
    assert_eq!(ids.len(), 4 * EACH);
    // Asked again, each gives the same answer.
    assert!(contexts.iter().all(|cx| ids.contains(cx.id()) && cx.correlation_id() == cx.id()));
}

#[test]
fn b10_what_is_asked_late_is_of_the_emit_and_not_of_the_question() {
    let (bus, gate, contexts) = (EventBus::new(), Gate::closed(), Journal::new());
    let with = bus.with((gate.clone(), contexts.clone()));
    with.on(async |with: Arc<(Gate, Journal<Context>)>, _: Arc<Tick>, cx: Context| {
        with.0.passed().await;
        with.1.push(cx);
    });
    let mut emit = bus.emit(Tick);
    assert!((&mut emit).now_or_never().is_none());
    let waits = SystemTime::now();
    while SystemTime::now() == waits {
        std::hint::spin_loop();
    }
    gate.open();
    emit.now_or_never().unwrap().unwrap();
    assert!(contexts.take()[0].time() <= waits);
}

#[test]
fn b10_the_emitter_may_say_all_of_it() {
    on_each_flavour(|_| async {
        let (bus, contexts) = (EventBus::new(), Journal::new());
        subscribe(&bus, &contexts);
        let id = |text: &str| EventId::from_str(text).unwrap();
        for detached in [false, true] {
            let emit = bus.emit(Tick).id(id("évt-1")).correlation_id(id("story")).causation_id(id("because"));
            let emit = emit.header("tenant", "eu").header("tenant", "us").header("trace", "");
            match detached {
                true => emit.detach().unwrap().await.unwrap(),
                false => emit.await.unwrap(),
            };
            bus.settle().await;
            let contexts = contexts.take();
            assert_eq!(contexts.len(), 6);
            for cx in contexts {
                assert_eq!((cx.id().as_str(), cx.correlation_id().as_str()), ("évt-1", "story"));
                assert_eq!(cx.causation_id(), Some(&id("because")));
                let headers: Vec<_> =
                    cx.headers().iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                assert_eq!(headers, [("tenant", "us"), ("trace", "")]);
            }
        }
        bus.emit(Tick).id(id("alone")).await.unwrap();
        bus.settle().await;
        assert!(
            contexts.take().iter().all(|cx| cx.correlation_id().as_str() == "alone" && cx.causation_id().is_none())
        );
        // Nothing of it stays for the next emit.
        bus.emit(Tick).await.unwrap();
        bus.settle().await;
        assert!(contexts.take().iter().all(|cx| cx.headers().is_empty() && cx.correlation_id() == cx.id()));
    });
}

#[tokio::test]
async fn b10_ids_are_texts_of_up_to_255_bytes() {
    let bus = EventBus::new();
    let contexts = contexts_of(&bus);
    for text in ["x", "with space\n\0", "*>", "日本語", &"x".repeat(255), &("é".repeat(127) + "x")] {
        let id: EventId = text.parse().unwrap();
        assert_eq!((id.as_str(), id.to_string().as_str()), (text, text));
        bus.emit(Tick).id(id.clone()).correlation_id(id.clone()).causation_id(id.clone()).await.unwrap();
        let cx = contexts.take().remove(0);
        assert_eq!((cx.id(), cx.correlation_id(), cx.causation_id()), (&id, &id, Some(&id)));
    }
    for text in [String::new(), "x".repeat(256), "é".repeat(128)] {
        let error = text.parse::<EventId>().unwrap_err();
        assert_eq!(error.to_string(), format!("an id has {} bytes; 1 to 255 are allowed", text.len()));
    }
}

/// Contexts are made in memory that is used again; one that was kept must not change.
#[test]
fn b10_a_context_that_was_kept_stays_as_it_was() {
    let bus = EventBus::new();
    let (all, asked) = (contexts_of(&bus), Journal::new());
    let (half, counter) = (asked.clone(), std::sync::atomic::AtomicUsize::new(0));
    bus.on_sync(move |_: &Tick, cx| {
        if counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % 2 == 0 {
            half.push((cx.clone(), cx.id().clone(), cx.time()));
        }
    });
    let mut kept = Vec::new();
    for round in 0..100 {
        bus.emit(Tick).now_or_never().unwrap().unwrap();
        kept.extend(all.take());
        if round % 3 == 0 {
            kept.clear();
        }
    }
    let ids: BTreeSet<_> = kept.iter().map(|cx| cx.id().clone()).collect();
    assert_eq!(ids.len(), kept.len());
    for (cx, id, time) in asked.take() {
        assert_eq!((cx.id(), cx.time()), (&id, time));
    }
}
