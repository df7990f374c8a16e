//! Handlers of a closed set of events (promise B17).

use std::sync::{Arc, Mutex};

use oyez::{AnyEvent, Context, DecodeErrorKind, EmitError, Event, EventBus, EventMap, HandlerErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "shop.user")]
struct User {
    id: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "shop.order")]
struct OrderV1(u64);

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "shop.order", version = 2, upcast = [OrderV1])]
struct Order {
    amount: u64,
}

impl From<OrderV1> for Order {
    fn from(old: OrderV1) -> Self {
        Self { amount: old.0 }
    }
}

#[derive(Debug, PartialEq, Event)]
#[event(name = "shop.closed", local)]
struct Closed;

#[derive(Debug, PartialEq, EventMap)]
enum Shop {
    User(Arc<User>),
    Order(Arc<Order>),
    Closed(Arc<Closed>),
}

impl Shop {
    fn text(&self) -> String {
        match self {
            Self::User(user) => format!("user {}", user.id),
            Self::Order(order) => format!("order {}", order.amount),
            Self::Closed(_) => "closed".to_owned(),
        }
    }
}

/// What handlers saw, in order.
type Seen = Arc<Mutex<Vec<String>>>;

fn note(seen: &Seen, what: impl Into<String>) {
    seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(what.into());
}

fn take(seen: &Seen) -> Vec<String> {
    std::mem::take(&mut *seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}

fn noting(seen: &Seen) -> impl Fn(Shop) -> std::future::Ready<()> + Send + Sync + 'static + use<> {
    let seen = Arc::clone(seen);
    move |event| {
        note(&seen, event.text());
        std::future::ready(())
    }
}

async fn emit_each(bus: &EventBus) -> usize {
    let mut delivered = 0;
    for emitted in [bus.emit(User { id: 1 }).await, bus.emit(Order { amount: 2 }).await, bus.emit(Closed).await] {
        delivered += emitted.map_or(0, |emitted| emitted.delivered());
    }
    delivered
}

#[tokio::test]
async fn b17_a_map_is_handled_by_one_handler() {
    let (bus, seen) = (EventBus::new(), Seen::default());
    bus.on_map(noting(&seen));
    assert_eq!(emit_each(&bus).await, 3);
    assert_eq!(take(&seen), ["user 1", "order 2", "closed"]);
    bus.emit(OrderV1(3)).await.unwrap();
    assert_eq!(take(&seen), Vec::<String>::new(), "a local emit goes by type, and the map has no such variant");
}

#[tokio::test]
async fn b17_a_map_is_one_subscription() {
    let (bus, seen) = (EventBus::new(), Seen::default());
    let subscription = bus.on_map(noting(&seen));
    emit_each(&bus).await;
    let listeners = bus.listeners();
    assert_eq!((listeners.len(), bus.stats().subscriptions), (1, 1));
    assert_eq!((listeners[0].id, &*listeners[0].target), (subscription.id(), "shop.user,shop.order,shop.closed"));
    assert_eq!((listeners[0].calls, listeners[0].failures), (3, 0));
    assert_eq!(
        (bus.listener_count::<User>(), bus.listener_count::<Order>(), bus.listener_count::<Closed>()),
        (1, 1, 1)
    );
    assert_eq!(bus.listener_count::<OrderV1>(), 0);
}

#[tokio::test]
async fn b17_off_removes_a_map_whole() {
    type Removal = fn(&EventBus, oyez::Subscription) -> usize;
    let removals: [Removal; 5] = [
        |_, subscription| usize::from(subscription.off()),
        |bus, subscription| usize::from(bus.off(subscription.id())),
        |bus, _| bus.remove_all(),
        |bus, _| bus.remove_all_of::<Order>(),
        |_, subscription| {
            drop(subscription.guard());
            1
        },
    ];
    for remove in removals {
        let (bus, seen) = (EventBus::new(), Seen::default());
        let subscription = bus.on_map(noting(&seen));
        assert_eq!(remove(&bus, subscription.clone()), 1);
        assert!(!subscription.is_on() && !subscription.off());
        assert_eq!(emit_each(&bus).await, 0);
        bus.emit_json("shop.user", json!({ "id": 1 })).await.unwrap();
        assert_eq!((take(&seen).len(), bus.listeners().len()), (0, 0));
    }
}

#[tokio::test]
async fn b17_a_map_has_one_place_in_the_order() {
    let (bus, seen) = (EventBus::new(), Seen::default());
    let in_order = |name: &'static str| {
        let seen = Arc::clone(&seen);
        move || note(&seen, name)
    };
    let first = in_order("user first");
    bus.on_sync(move |_: &User, _| first());
    bus.on_map(noting(&seen));
    let pattern = in_order("pattern");
    bus.subscribe_pattern("shop.*").unwrap().handle_sync(move |_, _| pattern());
    let (user, order) = (in_order("user last"), in_order("order last"));
    bus.on_sync(move |_: &Order, _| order());
    bus.on_sync(move |_: &User, _| user());
    for way in ["typed", "json"] {
        if way == "typed" {
            bus.emit(User { id: 1 }).await.unwrap();
            bus.emit(Order { amount: 2 }).await.unwrap();
        } else {
            bus.emit_json("shop.user", json!({ "id": 1 })).await.unwrap();
            bus.emit_json("shop.order", json!({ "amount": 2 })).await.unwrap();
        }
        let expected = ["user first", "user 1", "pattern", "user last", "order 2", "pattern", "order last"];
        assert_eq!(take(&seen), expected, "{way}");
    }
}

#[tokio::test]
async fn b17_a_map_gets_events_that_come_as_json_of_every_known_version() {
    let (bus, seen) = (EventBus::new(), Seen::default());
    bus.on_map(noting(&seen));
    bus.emit_json("shop.user", json!({ "id": 1 })).await.unwrap();
    bus.emit_json("shop.order", json!({ "amount": 2 })).await.unwrap();
    bus.emit_json("shop.order", json!(3)).version(1).await.unwrap();
    bus.emit_json("shop.order", json!({ "amount": 4 })).version(3).await.unwrap();
    assert_eq!(take(&seen), ["user 1", "order 2", "order 3"]);
    assert_eq!(bus.stats().unknown_versions, 1);

    let malformed = bus.emit_json("shop.order", json!("much")).await;
    assert!(matches!(malformed, Err(EmitError::Decode(error)) if error.kind() == DecodeErrorKind::Malformed));
    let local = bus.emit_json("shop.closed", json!(null)).await;
    assert!(matches!(local, Err(EmitError::Decode(error)) if error.kind() == DecodeErrorKind::Local));
    assert_eq!((take(&seen).len(), bus.stats().undecodable), (0, 2));
}

#[tokio::test]
async fn b17_a_map_is_decoded_by_name_version_and_bytes() {
    assert_eq!(Shop::NAMES, ["shop.user", "shop.order", "shop.closed"]);
    let read = |name, version, json: &str| Shop::decode(name, version, json.as_bytes());
    assert_eq!(read("shop.user", 1, r#"{"id":1}"#).unwrap(), Shop::User(Arc::new(User { id: 1 })));
    assert_eq!(read("shop.order", 1, "2").unwrap(), Shop::Order(Arc::new(Order { amount: 2 })));
    assert_eq!(read("shop.order", 2, r#"{"amount":3}"#).unwrap(), Shop::Order(Arc::new(Order { amount: 3 })));
    let kind = |name, version, json| read(name, version, json).unwrap_err().kind();
    assert_eq!(kind("shop.order", 3, r#"{"amount":3}"#), DecodeErrorKind::UnknownVersion { version: 3 });
    assert_eq!(kind("shop.orders", 1, "2"), DecodeErrorKind::UnknownName);
    assert_eq!(kind("shop.user", 1, "2"), DecodeErrorKind::Malformed);
    assert_eq!(kind("shop.closed", 1, "null"), DecodeErrorKind::Local);
}

#[tokio::test]
async fn b17_a_map_handler_is_isolated_and_knows_its_context() {
    let (bus, seen) = (EventBus::new(), Seen::default());
    let into = Arc::clone(&seen);
    let map = bus.on_map(move |event: Shop, cx: Context| {
        note(&into, format!("{} {} v{}", event.text(), cx.name(), cx.version()));
        assert!(!matches!(event, Shop::Closed(_)), "a panic before the future");
        async move {
            tokio::task::yield_now().await;
            match event {
                Shop::Order(_) => Err("it failed"),
                Shop::User(_) | Shop::Closed(_) => Ok(()),
            }
        }
    });
    bus.on_pattern("*", async |_: AnyEvent| {}).unwrap();
    for _ in 0..2 {
        assert_eq!(emit_each(&bus).await, 4);
        assert_eq!(take(&seen), ["user 1 shop.user v1", "order 2 shop.order v2", "closed shop.closed v1"]);
    }
    let panicked = bus.emit(Closed).await.unwrap();
    let failure = &panicked.failures()[0];
    assert_eq!((failure.subscription(), failure.error().kind()), (map.id(), HandlerErrorKind::Panicked));
    let listener = &bus.listeners()[0];
    assert_eq!((listener.calls, listener.failures), (7, 5));
}

#[tokio::test]
async fn b17_two_maps_may_share_events() {
    #[derive(Debug, EventMap)]
    enum Orders {
        Order(Arc<Order>),
    }

    let (bus, seen) = (EventBus::new(), Seen::default());
    bus.on_map(noting(&seen));
    let into = Arc::clone(&seen);
    let orders = bus.on_map(move |event: Orders| {
        let Orders::Order(order) = event;
        note(&into, format!("only {}", order.amount));
        std::future::ready(())
    });
    bus.emit(Order { amount: 1 }).await.unwrap();
    assert_eq!(take(&seen), ["order 1", "only 1"]);
    assert!(orders.off());
    bus.emit(Order { amount: 2 }).await.unwrap();
    assert_eq!(take(&seen), ["order 2"]);
}

#[tokio::test]
async fn b17_subscribing_and_removing_maps_again_and_again_leaves_nothing() {
    let (bus, seen) = (EventBus::new(), Seen::default());
    for _ in 0..20_000 {
        drop(bus.on_map(noting(&seen)).guard());
    }
    assert_eq!(
        (bus.stats().subscriptions, bus.listener_count::<User>(), bus.listener_count_of("shop.order")),
        (0, 0, 0)
    );
    assert_eq!(Arc::strong_count(&seen), 1);
}
