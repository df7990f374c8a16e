use oyez::Event;

#[derive(Event)]
#[event(name = "version", local, version = 0)]
struct Zero;

#[derive(Event)]
#[event(name = "version", local, version = -1)]
struct Negative;

#[derive(Event)]
#[event(name = "version", local, version = "2")]
struct Text;

#[derive(Event)]
#[event(name = "version", local, version = 1.5)]
struct Fraction;

#[derive(Event)]
#[event(name = "version", local, version = 4294967296)]
struct TooGreat;

#[derive(Event)]
#[event(name = "version", local, version = VERSION)]
struct Constant;

fn is_event<E: Event>() {}

fn main() {
    is_event::<Zero>();
}
