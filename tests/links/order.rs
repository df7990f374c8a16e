//! T3, T4: in which order events reach other nodes, and what they are to those that cause them.

use std::sync::Arc;

use oyez::{AnyEvent, Context, Event, Source, WeakEventBus};
use serde::{Deserialize, Serialize};

use crate::gate::Gate;
use crate::journal::Journal;
use crate::pair;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "order.cause")]
struct Cause;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "order.effect")]
struct Effect;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "order.reply")]
struct Reply;

#[tokio::test]
async fn t04_a_cause_arrives_before_its_effects() {
    let (here, there, _link) = pair().await;
    here.with(here.downgrade())
        .on(async |bus: Arc<WeakEventBus>, _: Arc<Cause>| bus.upgrade().unwrap().emit(Effect).await.map(drop));
    let mut events = there.subscribe_pattern("order.*").unwrap().stream(16);
    here.emit(Cause).await.unwrap();
    let mut names = Vec::new();
    for _ in 0..2 {
        names.push(events.next().await.unwrap().unwrap().name().to_owned());
    }
    assert_eq!(names, ["order.cause", "order.effect"]);
}

#[tokio::test]
async fn t03_what_a_handler_of_a_remote_event_emits_is_an_event_of_its_own_bus() {
    let (here, there, _link) = pair().await;
    there
        .with(there.downgrade())
        .on(async |bus: Arc<WeakEventBus>, _: Arc<Cause>| bus.upgrade().unwrap().emit(Reply).await.map(drop));
    let seen = Journal::new();
    let journal = seen.clone();
    here.on_sync(move |_: &Reply, context: &Context| {
        journal.push((
            context.source(),
            context.causation_id().cloned(),
            context.correlation_id().clone(),
            context.depth(),
        ));
    });
    let replied = here.wait_for::<Reply>(|_| true);
    here.emit(Cause).id("cause/1".parse().unwrap()).await.unwrap();
    replied.await.unwrap();
    let cause: oyez::EventId = "cause/1".parse().unwrap();
    let origin = there.instance().into();
    assert_eq!(seen.take(), [(Source::Remote { origin }, Some(cause.clone()), cause, 1)]);
}

#[tokio::test]
async fn t12_handlers_that_wait_do_not_hold_up_the_next_events() {
    let (here, there, _link) = pair().await;
    let gate = Gate::closed();
    there.with(gate.clone()).on(async |gate: Arc<Gate>, _: Arc<Cause>| gate.passed().await);
    let mut effects = there.stream::<Effect>(16);
    here.emit(Cause).await.unwrap();
    here.emit(Effect).await.unwrap();
    effects.next().await.unwrap().unwrap();
    gate.open();
    there.settle().await;
}

#[tokio::test]
async fn t12_one_in_flight_is_one_after_the_other() {
    let broker = oyez::transport::memory::Broker::new();
    let (here, there) = (oyez::EventBus::new(), oyez::EventBus::new());
    there.attach(broker.connect("test")).in_flight(1).await.unwrap();
    here.attach(broker.connect("test")).await.unwrap();
    let journal = Journal::new();
    there
        .with(journal.clone())
        .on_pattern("*", async |journal: Arc<Journal<String>>, event: AnyEvent| {
            journal.push(format!("{} starts", event.name()));
            tokio::task::yield_now().await;
            journal.push(format!("{} ends", event.name()));
        })
        .unwrap();
    let end = there.wait_for::<Reply>(|_| true);
    here.emit(Cause).await.unwrap();
    here.emit(Effect).await.unwrap();
    here.emit(Reply).await.unwrap();
    end.await.unwrap();
    let expected = ["order.cause starts", "order.cause ends", "order.effect starts", "order.effect ends"];
    assert_eq!(journal.take()[..4], expected);
}

#[tokio::test]
async fn t12_what_the_full_inbox_drops_is_told_as_a_gap() {
    let broker = oyez::transport::memory::Broker::new();
    let (here, there) = (oyez::EventBus::new(), oyez::EventBus::new());
    let link = there.attach(broker.connect("test")).inbox(4).in_flight(1).await.unwrap();
    here.attach(broker.connect("test")).await.unwrap();
    let gate = Gate::closed();
    there.with(gate.clone()).on(async |gate: Arc<Gate>, _: Arc<Cause>| gate.passed().await);
    for _ in 0..600 {
        here.emit(Cause).await.unwrap();
    }
    while link.status().received < 600 {
        tokio::task::yield_now().await;
    }
    gate.open();
    let end = there.wait_for::<Reply>(|_| true);
    here.emit(Reply).await.unwrap();
    end.await.unwrap();
    let status = link.status();
    assert!(status.overrun > 0, "{status:?}");
    assert_eq!((status.lost, status.handled), (status.overrun, 601 - status.overrun));
}

#[tokio::test]
async fn t10_a_link_may_be_for_some_names_only() {
    let broker = oyez::transport::memory::Broker::new();
    let (here, there) = (oyez::EventBus::new(), oyez::EventBus::new());
    let only = ["order.e*", "order.reply"].map(|pattern| pattern.parse::<oyez::Pattern>());
    assert!(only[0].is_err(), "a star stands for a whole segment");
    let only = ["order.effect", "order.reply"].map(|pattern| pattern.parse::<oyez::Pattern>().unwrap());
    let link = there.attach(broker.connect("test")).only(only).await.unwrap();
    here.attach(broker.connect("test")).await.unwrap();
    let mut events = there.subscribe_any().stream(16);
    here.emit(Cause).await.unwrap();
    here.emit(Effect).await.unwrap();
    assert_eq!(events.next().await.unwrap().unwrap().name(), "order.effect");
    let status = link.status();
    assert_eq!((status.filtered, status.handled, status.lost), (1, 1, 0));
}
