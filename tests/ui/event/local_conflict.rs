use oyez::Event;

#[derive(Event)]
#[event(name = "local.durable", local, durable)]
struct Durable;

#[derive(Event)]
#[event(name = "local.boxed", boxed, local)]
struct Boxed;

#[derive(Event)]
#[event(name = "local.upcast", local, upcast = [Boxed])]
struct Upcast;

#[derive(Event)]
#[event(name = "local.key", local, key = "id")]
struct Key {
    id: u64,
}

fn is_event<E: Event>() {}

fn main() {
    is_event::<Durable>();
    is_event::<Boxed>();
    is_event::<Upcast>();
    is_event::<Key>();
}
