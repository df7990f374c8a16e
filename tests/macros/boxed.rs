//! `boxed`: events of several types in one list.

use oyez::{DynEvent, Event};
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "boxed.user", boxed)]
struct User {
    id: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "boxed.order", version = 2, boxed)]
enum Order {
    Placed { amount: u64 },
    Cancelled,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "boxed.tick", boxed)]
struct Tick;

const JSON: &str = concat!(
    r#"[{"event":"boxed.user@1","data":{"id":1}},"#,
    r#"{"event":"boxed.order@2","data":{"Placed":{"amount":7}}},"#,
    r#"{"event":"boxed.order@2","data":"Cancelled"},"#,
    r#"{"event":"boxed.tick@1","data":null}]"#,
);

#[test]
fn b18_boxed_events_of_several_types_round_trip() {
    let events: Vec<Box<dyn DynEvent>> = vec![
        Box::new(User { id: 1 }),
        Box::new(Order::Placed { amount: 7 }),
        Box::new(Order::Cancelled),
        Box::new(Tick),
    ];
    assert_eq!(serde_json::to_string(&events).expect("all are JSON"), JSON);

    let read: Vec<Box<dyn DynEvent>> = serde_json::from_str(JSON).expect("all are registered");
    let names: Vec<_> = read.iter().map(|event| (event.name(), event.version())).collect();
    assert_eq!(names, [("boxed.user", 1), ("boxed.order", 2), ("boxed.order", 2), ("boxed.tick", 1)]);
    assert_eq!(serde_json::to_string(&read).expect("all are JSON"), JSON);
}

#[test]
fn b18_boxed_events_are_registered_by_name_and_version() {
    let read = |json: &str| serde_json::from_str::<Box<dyn DynEvent>>(json).map(|event| event.name());
    assert!(read(r#"{"event":"boxed.tick@1","data":null}"#).is_ok());
    for unknown in ["boxed.tick", "boxed.tick@2", "boxed.order@1", "Tick"] {
        let json = format!(r#"{{"event":"{unknown}","data":null}}"#);
        assert!(read(&json).is_err(), "{unknown}");
    }
}
