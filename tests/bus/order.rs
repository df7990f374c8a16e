//! B1: one order for all handlers of a bus.

use std::future::ready;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use oyez::layer::from_fn;
use oyez::{AnyEvent, Dispatch, Event, EventBus, EventMap, SubscriptionId};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::flavour::{finishes, on_each_flavour};
use crate::journal::Journal;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "order.tick")]
struct Tick;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "order.tick", version = 2, upcast = [Tick])]
struct Tock;

impl From<Tick> for Tock {
    fn from(_: Tick) -> Self {
        Self
    }
}

#[derive(EventMap)]
enum Ticks {
    Tick(Arc<Tick>),
}

/// A handler's place in the order of subscription.
struct Place(usize, Journal<usize>);

impl Place {
    fn write(&self) {
        self.1.push(self.0);
    }
}

/// Subscribes a handler of every kind; each writes its place. Returns how many there are.
fn subscribe_every_kind(bus: &EventBus, journal: &Journal<usize>) -> usize {
    let mut places = 0..;
    let mut next = || Place(places.next().unwrap_or_default(), journal.clone());
    let exact = async |place: Arc<Place>, _: Arc<Tick>| place.write();
    let any = async |place: Arc<Place>, _: AnyEvent| place.write();
    let (sync, sync_any, map) = {
        bus.with(next()).on_pattern("*", any).unwrap();
        bus.with(next()).on(exact);
        bus.with(next()).on_pattern("order.*", any).unwrap();
        (next(), next(), next())
    };
    bus.on_sync(move |_: &Tick, _| sync.write());
    bus.subscribe_pattern("order.tick").unwrap().handle_sync(move |_, _| sync_any.write());
    bus.on_map(move |Ticks::Tick(tick): Ticks| ready(drop((tick, map.write()))));
    bus.subscribe_pattern("order.**").unwrap().once().handle_with(next(), any);
    bus.subscribe::<Tick>().filter(|_| true).handle_with(next(), exact);
    bus.subscribe_pattern("**").unwrap().timeout(Duration::from_secs(1)).handle_with(next(), any);
    bus.subscribe::<Tick>().layer(from_fn(|call, next| next.run(call))).handle_with(next(), exact);
    bus.with(next()).on_pattern("*.tick", any).unwrap();
    bus.with(next()).once(exact);
    bus.with(next()).on(exact);
    places.next().unwrap_or_default()
}

#[test]
fn b01_handlers_of_every_kind_start_in_the_order_of_subscription() {
    on_each_flavour(|_| async {
        for mode in [Dispatch::Concurrent, Dispatch::Sequential] {
            for seen_before in [false, true] {
                let (bus, journal) = (EventBus::new(), Journal::new());
                if seen_before {
                    bus.on(async |_: Arc<Tick>| ()).off();
                    bus.emit(Tick).await.unwrap();
                }
                let places: Vec<_> = (0..subscribe_every_kind(&bus, &journal)).collect();
                bus.emit(Tick).dispatch(mode).await.unwrap();
                assert_eq!(journal.take(), places);
                bus.emit(Tick).dispatch(mode).await.unwrap();
                let without_once: Vec<_> = places.into_iter().filter(|place| ![6, 11].contains(place)).collect();
                assert_eq!(journal.take(), without_once);
            }
        }
    });
}

#[test]
fn b01_an_untyped_emit_starts_them_in_the_same_order() {
    on_each_flavour(|_| async {
        let (bus, journal) = (EventBus::new(), Journal::new());
        let places: Vec<_> = (0..subscribe_every_kind(&bus, &journal)).collect();
        bus.emit_json("order.tick", json!(null)).await.unwrap();
        assert_eq!(journal.take(), places);
    });
}

#[tokio::test]
async fn b01_types_that_share_a_name_share_the_order() {
    let (bus, journal) = (EventBus::new(), Journal::new());
    for place in 0..6 {
        let place = Place(place, journal.clone());
        match place.0 % 3 {
            0 => bus.with(place).on(async |place: Arc<Place>, _: Arc<Tock>| place.write()),
            1 => bus.with(place).on_pattern("*", async |place: Arc<Place>, _: AnyEvent| place.write()).unwrap(),
            _ => bus.with(place).on(async |place: Arc<Place>, _: Arc<Tick>| place.write()),
        };
    }
    bus.emit_json("order.tick", json!(null)).version(1).await.unwrap();
    assert_eq!(journal.take(), [0, 1, 2, 3, 4, 5]);
    bus.emit(Tick).await.unwrap();
    assert_eq!(journal.take(), [1, 2, 4, 5]);
    bus.emit(Tock).await.unwrap();
    assert_eq!(journal.take(), [0, 1, 3, 4]);
}

#[tokio::test]
async fn b01_who_subscribes_again_is_last() {
    let (bus, journal) = (EventBus::new(), Journal::new());
    let on = |place| bus.with(Place(place, journal.clone())).on(async |place: Arc<Place>, _: Arc<Tick>| place.write());
    let first = on(0);
    on(1);
    let any = async |place: Arc<Place>, _: AnyEvent| place.write();
    bus.with(Place(2, journal.clone())).on_pattern("order.*", any).unwrap();
    assert!(first.off());
    on(3);
    bus.emit(Tick).await.unwrap();
    assert_eq!(journal.take(), [1, 2, 3]);
}

/// An event that its handlers write their ids to.
#[derive(Event)]
#[event(name = "order.race", local)]
struct Race(Mutex<Vec<SubscriptionId>>);

#[test]
fn b01_subscribing_on_many_threads_gives_one_order() {
    const THREADS: usize = 4;
    const EACH: usize = 100;
    finishes(|| {
        let bus = EventBus::new();
        let start = Arc::new(Barrier::new(THREADS + 1));
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let (bus, start) = (bus.clone(), Arc::clone(&start));
                thread::spawn(move || {
                    start.wait();
                    (0..EACH).for_each(|place| subscribe_its_id(&bus, place % 2 == 0));
                })
            })
            .collect();
        start.wait();
        let mut seen = 0;
        while seen < THREADS * EACH {
            seen = started(&bus);
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(started(&bus), THREADS * EACH);
    });
}

/// Subscribes a handler that writes the id of its subscription as soon as it is known.
fn subscribe_its_id(bus: &EventBus, exact: bool) {
    let id = Arc::new(std::sync::OnceLock::new());
    let own = Arc::clone(&id);
    let subscription = if exact {
        bus.on_sync(move |race: &Race, _| race.0.lock().unwrap().push(*own.wait()))
    } else {
        let write = move |event: &AnyEvent, _: &_| {
            event.downcast::<Race>().unwrap().0.lock().unwrap().push(*own.wait());
        };
        bus.subscribe_pattern("order.race").unwrap().handle_sync(write)
    };
    id.set(subscription.id()).unwrap();
}

/// Emits, checks that the handlers started in the order of their ids, and returns how many there were.
fn started(bus: &EventBus) -> usize {
    let ids = Arc::new(Mutex::new(Vec::new()));
    let copy = Arc::clone(&ids);
    let last = bus.on_sync(move |race: &Race, _| copy.lock().unwrap().clone_from(&race.0.lock().unwrap()));
    futures_util::FutureExt::now_or_never(bus.emit(Race(Mutex::default()))).unwrap().unwrap();
    assert!(last.off());
    let ids = ids.lock().unwrap().clone();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    ids.len()
}
