use oyez::Event;

struct Plain;

fn is_event<E: Event>() {}

fn main() {
    is_event::<Plain>();
}
