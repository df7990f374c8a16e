use oyez::Event;

#[derive(Event)]
#[event(name = "generic", local)]
struct Generic<T>(T);

fn is_event<E: Event>(_: &E) {}

fn borrowed(text: &str) {
    is_event(&Generic(text));
}

fn main() {
    is_event(&Generic("static"));
    borrowed("");
}
