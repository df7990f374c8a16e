use oyez::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "boxed", boxed)]
struct Generic<T>(T);

#[derive(Serialize, Deserialize, Event)]
#[event(name = "boxed", boxed)]
struct Constant<const N: usize>;

fn is_event<E: Event>() {}

fn main() {
    is_event::<Generic<u8>>();
    is_event::<Constant<1>>();
}
