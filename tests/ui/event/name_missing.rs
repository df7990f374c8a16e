use oyez::Event;

#[derive(Event)]
struct NoAttribute;

#[derive(Event)]
#[event(local)]
struct NoName;

fn is_event<E: Event>() {}

fn main() {
    is_event::<NoAttribute>();
    is_event::<NoName>();
}
