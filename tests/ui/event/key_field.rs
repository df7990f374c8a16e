use oyez::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "key.misspelt", durable, key = "order")]
struct Misspelt {
    order_id: u64,
    r#type: u8,
}

#[derive(Serialize, Deserialize, Event)]
#[event(name = "key.index", durable, key = "2")]
struct TupleIndex(u8, u8);

#[derive(Serialize, Deserialize, Event)]
#[event(name = "key.unit", durable, key = "id")]
struct Unit;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "key.enum", durable, key = "id")]
enum Choice {
    One { id: u64 },
}

fn is_event<E: Event>() {}

fn main() {
    is_event::<Misspelt>();
    is_event::<TupleIndex>();
    is_event::<Unit>();
    is_event::<Choice>();
}
