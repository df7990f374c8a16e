use oyez::Event;

#[derive(Event)]
#[event(nmae = "unknown.near", local)]
struct Near;

#[derive(Event)]
#[event(name = "unknown.plural", locals)]
struct Plural;

#[derive(Event)]
#[event(name = "unknown.far", retention = "7d", local)]
struct Far;

fn is_event<E: Event>() {}

fn main() {
    is_event::<Near>();
    is_event::<Plural>();
    is_event::<Far>();
}
