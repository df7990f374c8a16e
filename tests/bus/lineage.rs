//! B10: an event that a handler emits belongs to the handler's story, and knows its cause by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use oyez::layer::from_fn;
use oyez::{AnyEvent, Context, Event, EventBus, EventId, Overflow};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::faults::Fault;
use crate::flavour::on_each_flavour;
use crate::journal::Journal;

#[derive(Debug, Clone, Serialize, Deserialize, Event)]
#[event(name = "lineage.outer")]
struct Outer;

/// The label says from where it was emitted.
#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "lineage.inner")]
struct Inner(String);

fn inner(label: &str) -> Inner {
    Inner(label.to_owned())
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    label: String,
    depth: usize,
    correlation: EventId,
    causation: Option<EventId>,
}

/// Writes every `Inner` down.
fn observe(bus: &EventBus) -> Journal<Seen> {
    let journal = Journal::new();
    let seen = journal.clone();
    bus.on_sync(move |inner: &Inner, cx| {
        let (correlation, causation) = (cx.correlation_id().clone(), cx.causation_id().cloned());
        seen.push(Seen { label: inner.0.clone(), depth: cx.depth(), correlation, causation });
    });
    journal
}

/// All ways to emit from inside of a handler, before and after it waits.
async fn emit_in_every_way(bus: &EventBus, cx: &Context) {
    for moment in ["at once", "after a wait"] {
        let label = |way: &str| inner(&format!("{way} {moment}"));
        bus.emit(label("emit")).await.unwrap();
        bus.emit_json("lineage.inner", json!(label("emit_json").0)).await.unwrap();
        bus.emit(label("sequential")).sequential().await.unwrap();
        bus.post(label("post")).unwrap();
        bus.emit_detached(label("emit_detached")).unwrap().await.unwrap();
        let (both, joined) = (bus.emit(label("join 1")), bus.emit(label("join 2")));
        let (one, other) = tokio::join!(both, joined);
        drop((one.unwrap(), other.unwrap()));
        let carried = (bus.clone(), label("spawn"));
        cx.spawn(async move {
            tokio::task::yield_now().await;
            carried.0.emit(carried.1).await.unwrap();
        })
        .await
        .unwrap();
        tokio::task::yield_now().await;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

const WAYS: usize = 2 * 8;

#[test]
fn b10_a_nested_emit_inherits_its_story_in_every_kind_of_handler() {
    on_each_flavour(|_| async {
        for kind in ["exact", "pattern", "queue", "timeout", "layer", "once"] {
            let (bus, causes) = (EventBus::new(), Journal::new());
            let seen = observe(&bus);
            type With = Arc<(EventBus, Journal<Context>)>;
            let act = async |with: With, _: Arc<Outer>, cx: Context| {
                emit_in_every_way(&with.0, &cx).await;
                with.1.push(cx);
            };
            let act_untyped = async |with: With, _: AnyEvent, cx: Context| {
                emit_in_every_way(&with.0, &cx).await;
                with.1.push(cx);
            };
            let with: With = Arc::new((bus.clone(), causes.clone()));
            let subscribe = bus.subscribe::<Outer>();
            match kind {
                "pattern" => bus.with(with).on_pattern("*.outer", act_untyped).unwrap(),
                "queue" => subscribe.queued(8, Overflow::Wait).concurrency(2).handle_with(with, act),
                "timeout" => subscribe.timeout(Duration::from_secs(600)).handle_with(with, act),
                "layer" => subscribe.layer(from_fn(|call, next| next.run(call))).handle_with(with, act),
                "once" => subscribe.once().handle_with(with, act),
                _ => subscribe.handle_with(with, act),
            };
            bus.emit(Outer).correlation_id("story".parse().unwrap()).await.unwrap();
            bus.settle().await;
            let cause = causes.take().remove(0).id().clone();
            let seen = seen.take();
            assert_eq!(seen.len(), WAYS, "{kind}: {seen:?}");
            for seen in seen {
                assert_eq!((seen.depth, seen.correlation.as_str()), (1, "story"), "{kind} {}", seen.label);
                assert_eq!(seen.causation.as_ref(), Some(&cause), "{kind} {}", seen.label);
            }
        }
    });
}

#[test]
fn b10_a_sync_handler_hands_its_story_on() {
    on_each_flavour(|_| async {
        let bus = EventBus::new();
        let seen = observe(&bus);
        let inside = bus.clone();
        bus.on_sync(move |_: &Outer, _| {
            inside.emit(inner("emit")).now_or_never().unwrap().unwrap();
            inside.post(inner("post")).unwrap();
        });
        bus.emit(Outer).id("cause".parse().unwrap()).await.unwrap();
        bus.settle().await;
        let seen = seen.take();
        assert_eq!(seen.iter().map(|seen| seen.label.as_str()).collect::<Vec<_>>(), ["emit", "post"]);
        let cause: EventId = "cause".parse().unwrap();
        for seen in seen {
            assert_eq!((seen.depth, &seen.correlation, seen.causation.as_ref()), (1, &cause, Some(&cause)));
        }
    });
}

/// A chain of events: each is caused by the one before, and all belong to the first.
#[test]
fn b10_the_story_goes_on_from_event_to_event() {
    on_each_flavour(|_| async {
        let (bus, chain) = (EventBus::new(), Journal::new());
        bus.with((bus.clone(), chain.clone())).on(
            async |with: Arc<(EventBus, Journal<Context>)>, _: Arc<Outer>, cx: Context| {
                tokio::task::yield_now().await;
                with.1.push(cx.clone());
                match cx.depth() % 3 {
                    _ if cx.depth() == 9 => {}
                    0 => _ = with.0.emit(Outer).await.unwrap(),
                    1 => with.0.post(Outer).unwrap(),
                    _ => {
                        let bus = with.0.clone();
                        cx.spawn(async move { bus.emit(Outer).await.unwrap() }).await.unwrap();
                    }
                }
            },
        );
        bus.emit(Outer).await.unwrap();
        bus.settle().await;
        let chain = chain.take();
        assert_eq!(chain.iter().map(Context::depth).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
        assert!(chain.iter().all(|cx| cx.correlation_id() == chain[0].id()));
        assert!(chain.windows(2).all(|pair| pair[1].causation_id() == Some(pair[0].id())));
    });
}

#[test]
fn b10_the_emitter_may_leave_the_story() {
    on_each_flavour(|_| async {
        let bus = EventBus::new();
        let seen = observe(&bus);
        bus.with(bus.clone()).on(async |bus: Arc<EventBus>, _: Arc<Outer>| {
            let id = |text: &str| text.parse::<EventId>().unwrap();
            bus.emit(inner("1")).correlation_id(id("another")).await.unwrap();
            bus.emit(inner("2")).causation_id(id("because")).await.unwrap();
            bus.emit(inner("3")).id(id("own")).detach().unwrap().await.unwrap();
        });
        bus.emit(Outer).id("outer".parse().unwrap()).header("tenant", "eu").await.unwrap();
        let seen: Vec<_> = seen.take().into_iter().map(|seen| (seen.correlation, seen.causation.unwrap())).collect();
        let id = |text: &str| text.parse::<EventId>().unwrap();
        let expected = [("another", "outer"), ("outer", "because"), ("outer", "outer")];
        assert_eq!(seen, expected.map(|(correlation, causation)| (id(correlation), id(causation))));
    });
}

#[test]
fn b10_what_no_handler_emits_is_its_own_story() {
    on_each_flavour(|_| async {
        let bus = EventBus::new();
        let seen = observe(&bus);
        let spawns = Arc::new((bus.clone(), AtomicBool::new(false)));
        bus.with(Arc::clone(&spawns)).on(async |spawns: Arc<(EventBus, AtomicBool)>, _: Arc<Outer>| {
            let plain = spawns.0.clone();
            tokio::spawn(async move { plain.emit(inner("a plain spawn")).await.unwrap() }).await.unwrap();
            spawns.1.store(true, Ordering::Release);
        });
        let faults =
            Fault::ALL.into_iter().filter(|fault| !fault.is_timeout() && *fault != Fault::ErrorWhoseDropPanics);
        for fault in faults {
            bus.on(move |_: Arc<Outer>| fault.begin());
        }
        bus.on(async |_: Arc<Outer>| std::future::pending::<()>().await);
        let mut dropped = Box::pin(bus.emit(Outer));
        let spawned = std::future::poll_fn(|task| {
            // Polled inside of this task until the spawned one has run, then dropped midway.
            assert!(dropped.as_mut().poll(task).is_pending());
            bus.emit(inner("beside")).now_or_never().unwrap().unwrap();
            if spawns.1.load(Ordering::Acquire) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        });
        spawned.await;
        drop(dropped);
        bus.emit(inner("after")).await.unwrap();
        let seen = seen.take();
        let labels = ["beside", "a plain spawn", "after"];
        assert!(labels.iter().all(|label| seen.iter().any(|seen| seen.label == *label)), "{seen:?}");
        for seen in seen {
            assert_eq!((seen.depth, seen.causation), (0, None), "{}", seen.label);
        }
    });
}

/// Two emits take turns on one task, and each handler stays in its own story.
#[test]
fn b10_stories_do_not_mix() {
    on_each_flavour(|_| async {
        let bus = EventBus::new();
        let seen = observe(&bus);
        for _ in 0..3 {
            bus.with(bus.clone()).on(async |bus: Arc<EventBus>, _: Arc<Outer>, cx: Context| {
                for _ in 0..5 {
                    bus.emit(inner(cx.id().as_str())).await.unwrap();
                    tokio::task::yield_now().await;
                }
            });
        }
        let emits =
            ["a", "b", "c"].map(|id| Box::pin(async { bus.emit(Outer).id(id.parse().unwrap()).await.unwrap() }));
        let [a, b, c] = emits;
        let others = ["d", "e"].map(|id| {
            let bus = bus.clone();
            tokio::spawn(async move { bus.emit(Outer).id(id.parse().unwrap()).await.unwrap() })
        });
        drop(tokio::join!(a, b, c));
        for other in others {
            other.await.unwrap();
        }
        let seen = seen.take();
        assert_eq!(seen.len(), 5 * 3 * 5);
        for seen in seen {
            assert_eq!(
                (seen.label.as_str(), seen.causation.as_ref()),
                (seen.correlation.as_str(), Some(&seen.correlation))
            );
        }
    });
}
