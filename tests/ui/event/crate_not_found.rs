use oyez::Event;

#[derive(Event)]
#[event(name = "crate", local, crate = "platform::oyez")]
struct Missing;

fn main() {}
