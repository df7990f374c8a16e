use oyez::Event;

#[derive(Event)]
#[event]
struct Bare;

#[derive(Event)]
#[event = "misused.assigned"]
struct Assigned;

#[derive(Event)]
#[event("misused.value")]
struct Value;

#[derive(Event)]
#[event(name, local)]
struct NoValue;

#[derive(Event)]
#[event(name = , local)]
struct NothingAssigned;

#[derive(Event)]
#[event(name("misused.parentheses"), local)]
struct Parentheses;

#[derive(Event)]
#[event(name = NAME, local)]
struct Constant;

#[derive(Event)]
#[event(name = "misused.flag", local = true)]
struct Flag;

#[derive(Event)]
#[event(name = "misused.upcast", version = 2, upcast = Older)]
struct Upcast;

#[derive(Event)]
#[event(name = "misused.key", durable, key = id)]
struct Key {
    id: u64,
}

#[derive(Event)]
#[event(name = "misused.crate", crate = oyez)]
struct Crate;

#[derive(Event)]
#[event(name = "misused.semicolon"; local)]
struct Semicolon;

fn is_event<E: Event>() {}

fn main() {
    is_event::<Bare>();
    is_event::<Assigned>();
    is_event::<Value>();
    is_event::<NoValue>();
    is_event::<NothingAssigned>();
    is_event::<Parentheses>();
    is_event::<Constant>();
    is_event::<Flag>();
    is_event::<Upcast>();
    is_event::<Key>();
    is_event::<Crate>();
    is_event::<Semicolon>();
}
