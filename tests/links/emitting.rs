//! T2, T4, T8: what an emit does with its event on the way out.

use std::sync::Arc;

use oyez::{Event, EventBus, NotSentReason, Source};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{LONG, pair, pair_with};

#[derive(Debug, Serialize, Deserialize, Event, PartialEq)]
#[event(name = "links.tick")]
struct Tick(u32);

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "links.end")]
struct End;

#[derive(Debug, Event)]
#[event(name = "links.private", local)]
struct Private;

#[tokio::test(flavor = "current_thread")]
async fn t02_a_loop_of_emits_on_one_thread_starves_nobody() {
    let (here, there, link) = pair().await;
    let mut ticks = there.stream::<Tick>(100_000);
    for n in 0..50_000 {
        here.emit(Tick(n)).await.unwrap();
    }
    assert_eq!(link.status().dropped, 0);
    for n in 0..50_000 {
        assert_eq!(*ticks.next().await.unwrap().unwrap(), Tick(n));
    }
}

#[tokio::test]
async fn t02_an_event_that_nobody_hears_here_is_sent_too() {
    let (here, there, _link) = pair().await;
    let mut ticks = there.stream::<Tick>(16);
    assert_eq!(here.listener_count::<Tick>(), 0);
    here.emit(Tick(1)).await.unwrap();
    here.emit_json("links.tick", 2).await.unwrap();
    here.emit(Tick(3)).header("tenant", "acme").await.unwrap();
    here.post(Tick(4)).unwrap();
    for n in 1..=4 {
        assert_eq!(*ticks.next().await.unwrap().unwrap(), Tick(n));
    }
}

#[tokio::test]
async fn t02_local_events_stay_here() {
    let (here, there, link) = pair().await;
    let mut end = there.stream::<End>(16);
    here.on(async |_: Arc<Private>| {});
    let emitted = here.emit(Private).await.unwrap();
    assert_eq!((emitted.delivered(), emitted.links().len()), (1, 0));
    here.emit(End).await.unwrap();
    end.next().await.unwrap().unwrap();
    let status = link.status();
    assert_eq!((status.sent, status.unencodable), (1, 0));
}

/// An event whose `Serialize` fails or panics.
#[derive(Debug, Event)]
#[event(name = "links.stubborn")]
struct Stubborn {
    panics: bool,
}

impl Serialize for Stubborn {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        assert!(!self.panics, "never");
        Err(serde::ser::Error::custom("no"))
    }
}

impl<'de> Deserialize<'de> for Stubborn {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom("no"))
    }
}

#[tokio::test]
async fn t08_an_event_that_cannot_be_written_runs_here_and_says_why() {
    let (here, _there, link) = pair().await;
    for subscribed in [false, true] {
        for panics in [false, true] {
            let emitted = here.emit(Stubborn { panics }).await.unwrap();
            assert_eq!(emitted.delivered(), usize::from(subscribed));
            let [not_sent] = emitted.links() else { panic!("{emitted:?}") };
            assert_eq!(not_sent.link(), link.id());
            assert!(matches!(not_sent.reason(), NotSentReason::Unencodable(_)), "{not_sent:?}");
            assert!(emitted.into_result().is_ok());
        }
        here.on_sync(|_: &Stubborn, _| {});
    }
    assert_eq!((link.status().unencodable, link.status().sent), (4, 0));
}

#[tokio::test(flavor = "current_thread")]
async fn t02_an_outbox_that_keeps_the_oldest_tells_the_emit() {
    let (here, there, link) = pair_with(|attach| attach.outbox(2, 1 << 20).drop_newest()).await;
    let mut ticks = there.stream::<Tick>(16);
    // The sender is on this thread, and has no turn before the first await that waits.
    let mut not_sent = Vec::new();
    for n in 0..4 {
        not_sent.push(here.emit(Tick(n)).await.unwrap().links().len());
    }
    assert_eq!(not_sent, [0, 0, 1, 1]);
    link.room().await;
    here.emit(Tick(4)).await.unwrap();
    for n in [0, 1, 4] {
        assert_eq!(*ticks.next().await.unwrap().unwrap(), Tick(n));
    }
    assert_eq!(link.status().dropped, 2);
}

#[tokio::test]
async fn t04_the_origin_is_the_instance_of_the_bus() {
    let (here, there, _link) = pair().await;
    let (tell, told) = tokio::sync::oneshot::channel();
    let tell = std::sync::Mutex::new(Some(tell));
    there.on_sync(move |_: &Tick, context: &oyez::Context| {
        let told = (context.source(), context.id().clone(), context.time(), context.headers().clone());
        tell.lock().unwrap().take().unwrap().send(told).unwrap();
    });
    let id = "tick/1".parse::<oyez::EventId>().unwrap();
    here.emit(Tick(1)).id(id.clone()).header("tenant", "acme").await.unwrap();
    let (source, there_id, time, headers) = told.await.unwrap();
    assert_eq!(source, Source::Remote { origin: here.instance().into() });
    assert_eq!(there_id, id);
    assert!(time.elapsed().unwrap() < LONG);
    assert_eq!(headers["tenant"], "acme");
    assert_ne!(here.instance(), there.instance());
}

#[tokio::test]
async fn t02_a_bus_without_links_has_none() {
    let bus = EventBus::new();
    assert!(bus.links().is_empty());
    assert!(bus.emit(Tick(1)).await.unwrap().links().is_empty());
}
