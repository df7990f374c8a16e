use oyez::Event;

#[derive(Event)]
#[event(name = "union", local)]
union Union {
    a: u8,
    b: i8,
}

fn is_event<E: Event>() {}

fn main() {
    is_event::<Union>();
}
