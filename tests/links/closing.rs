//! T11: how links end.

use std::sync::Arc;
use std::time::Duration;

use oyez::transport::memory::Broker;
use oyez::{Event, EventBus, LinkEvent, LinkState, WeakEventBus};
use serde::{Deserialize, Serialize};

use crate::{LONG, pair};

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "closing.tick")]
struct Tick(u32);

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "closing.last")]
struct Last;

#[tokio::test]
async fn t11_a_shutdown_sends_what_queued_handlers_still_emit() {
    let (here, there, link) = pair().await;
    here.subscribe::<Tick>()
        .queued(64, oyez::Overflow::Wait)
        .handle_with(here.downgrade(), async |bus: Arc<WeakEventBus>, _: Arc<Tick>| {
            bus.upgrade().unwrap().emit(Last).await.map(drop)
        });
    let mut last = there.stream::<Last>(64);
    for n in 0..20 {
        here.emit(Tick(n)).await.unwrap();
    }
    let shutdown = here.shutdown(LONG).await;
    assert!(shutdown.is_clean(), "{shutdown:?}");
    for _ in 0..20 {
        last.next().await.unwrap().unwrap();
    }
    assert_eq!(link.status().state, LinkState::Closed);
    assert!(here.links().is_empty());
}

#[tokio::test]
async fn t11_a_deadline_that_passes_tells_how_many_were_not_sent() {
    let broker = Broker::new();
    let bus = EventBus::new();
    let link = bus.attach(broker.connect("test").silence(Duration::from_millis(20))).await.unwrap();
    broker.kill();
    for n in 0..10 {
        bus.emit(Tick(n)).await.unwrap();
    }
    let shutdown = bus.shutdown(Duration::from_millis(50)).await;
    assert_eq!(shutdown.unsent, 10);
    assert!(!shutdown.is_clean());
    let closed = link.close(LONG).await;
    assert_eq!((closed.unsent, closed.confirmed), (10, false));
}

#[tokio::test]
async fn t11_a_closed_link_takes_no_more_and_says_so_once() {
    let (here, _there, link) = pair().await;
    let mut events = link.events();
    let (one, other) = tokio::join!(link.close(LONG), link.close(LONG));
    assert_eq!(one, other);
    assert!(one.confirmed && one.unsent == 0);
    assert_eq!(events.next().await, Some(LinkEvent::Closed));
    assert!(here.emit(Tick(1)).await.unwrap().links().is_empty());
    assert_eq!(events.next().await, None);
    assert_eq!(link.events().next().await, None);
}

#[tokio::test]
async fn t11_what_a_dropped_bus_had_to_send_is_sent() {
    let (here, there, link) = pair().await;
    let mut ticks = there.stream::<Tick>(4096);
    for n in 0..2000 {
        here.emit(Tick(n)).await.unwrap();
    }
    let mut events = link.events();
    drop(here);
    for n in 0..2000 {
        assert_eq!(ticks.next().await.unwrap().unwrap().0, n);
    }
    while events.next().await != Some(LinkEvent::Closed) {}
}

#[test]
fn t11_a_runtime_that_ends_takes_its_links_along_and_nothing_hangs() {
    let broker = Broker::new();
    let bus = EventBus::new();
    let first = tokio::runtime::Runtime::new().unwrap();
    let link = first.block_on(async { bus.attach(broker.connect("test")).await.unwrap() });
    drop(first);
    let second = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    second.block_on(async {
        bus.emit(Tick(1)).await.unwrap();
        let closed = link.close(Duration::from_millis(10)).await;
        assert_eq!(closed.unsent, 1);
        assert!(!closed.confirmed);
    });
    drop(bus);
}

#[tokio::test]
async fn t11_a_bus_that_is_shut_down_takes_no_link() {
    let bus = EventBus::new();
    bus.shutdown(LONG).await;
    let error = bus.attach(Broker::new().connect("test")).await.unwrap_err();
    assert_eq!(error.kind(), oyez::transport::TransportErrorKind::Closed);
}
