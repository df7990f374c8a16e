use oyez::Event;

#[derive(Event)]
#[event(name = "twice.in_one", local, name = "twice.again")]
struct InOne;

#[derive(Event)]
#[event(name = "twice.in_two", local)]
#[event(local)]
struct InTwo;

fn is_event<E: Event>() {}

fn main() {
    is_event::<InOne>();
    is_event::<InTwo>();
}
