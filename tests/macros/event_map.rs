//! `#[derive(EventMap)]` (promise B17).

use std::sync::Arc;

use oyez::{DecodeErrorKind, Event, EventMap};
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "map.user")]
struct User {
    id: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "map.order")]
struct OrderV1(u64);

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "map.order", version = 2, upcast = [OrderV1])]
struct Order {
    amount: u64,
}

impl From<OrderV1> for Order {
    fn from(old: OrderV1) -> Self {
        Self { amount: old.0 }
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "map.generic")]
struct Generic<T>(T);

#[derive(Debug, PartialEq, Event)]
#[event(name = "map.local", local)]
struct Local;

#[derive(Debug, PartialEq, EventMap)]
enum Shop {
    User(Arc<User>),
    r#Order(std::sync::Arc<Order>),
    Generic(::std::sync::Arc<Generic<Vec<u8>>>),
    Local(Arc<Local>),
}

#[test]
fn b17_names_are_in_the_order_of_the_variants() {
    assert_eq!(Shop::NAMES, ["map.user", "map.order", "map.generic", "map.local"]);
}

#[test]
fn b17_decoding_goes_by_name_and_version() {
    let read = |name, version, json: &str| Shop::decode(name, version, json.as_bytes()).expect("it is known");
    assert_eq!(read("map.user", 1, r#"{"id":1}"#), Shop::User(Arc::new(User { id: 1 })));
    assert_eq!(read("map.order", 1, "7"), Shop::Order(Arc::new(Order { amount: 7 })));
    assert_eq!(read("map.order", 2, r#"{"amount":7}"#), Shop::Order(Arc::new(Order { amount: 7 })));
    assert_eq!(read("map.generic", 1, "[1,2]"), Shop::Generic(Arc::new(Generic(vec![1, 2]))));
}

#[test]
fn b17_decoding_says_what_is_wrong() {
    let failure = |name, version, json: &str| {
        Shop::decode(name, version, json.as_bytes()).expect_err("it must not be read").kind()
    };
    for name in ["", "map", "map.user.", "map.users", "MAP.USER", "map.*"] {
        assert_eq!(failure(name, 1, r#"{"id":1}"#), DecodeErrorKind::UnknownName, "{name}");
    }
    assert_eq!(failure("map.user", 2, r#"{"id":1}"#), DecodeErrorKind::UnknownVersion { version: 2 });
    assert_eq!(failure("map.user", 1, r#"{"id":"one"}"#), DecodeErrorKind::Malformed);
    assert_eq!(failure("map.local", 1, "null"), DecodeErrorKind::Local);
}

#[test]
fn b17_each_variant_is_shown_with_its_wrapper() {
    use oyez::__private::MapVisitor;

    #[derive(Default)]
    struct Seen(Vec<(&'static str, u32)>);

    impl MapVisitor<Shop> for Seen {
        fn variant<E: Event>(&mut self, _: fn(Arc<E>) -> Shop) {
            self.0.push((E::NAME, E::VERSION));
        }
    }

    let mut seen = Seen::default();
    Shop::visit(&mut seen);
    assert_eq!(seen.0, [("map.user", 1), ("map.order", 2), ("map.generic", 1), ("map.local", 1)]);
}
