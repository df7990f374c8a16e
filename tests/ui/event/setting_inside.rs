use oyez::Event;

#[derive(Event)]
#[event(name = "inside.field", local)]
struct Field {
    #[event(key)]
    id: u64,
}

#[derive(Event)]
#[event(name = "inside.variant", local)]
enum Variant {
    #[event(name = "inside.variant.one")]
    One,
}

fn is_event<E: Event>() {}

fn main() {
    is_event::<Field>();
    is_event::<Variant>();
}
