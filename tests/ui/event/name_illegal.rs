use oyez::Event;

#[derive(Event)]
#[event(name = "", local)]
struct Empty;

#[derive(Event)]
#[event(name = "a b", local)]
struct Space;

#[derive(Event)]
#[event(name = "a b", local)]
struct NoBreakSpace;

#[derive(Event)]
#[event(name = "a\nb", local)]
struct Newline;

#[derive(Event)]
#[event(name = "a\u{7}b", local)]
struct Control;

#[derive(Event)]
#[event(name = "user.*", local)]
struct Star;

#[derive(Event)]
#[event(name = "user.>", local)]
struct Wildcard;

#[derive(Event)]
#[event(name = ".user", local)]
struct FirstDot;

#[derive(Event)]
#[event(name = "user.", local)]
struct LastDot;

#[derive(Event)]
#[event(name = "user..created", local)]
struct TwoDots;

#[derive(Event)]
#[event(name = ".", local)]
struct OnlyDot;

#[derive(Event)]
#[event(name = "éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé", local)]
struct TooLong;

fn is_event<E: Event>() {}

fn main() {
    is_event::<Empty>();
    is_event::<Space>();
    is_event::<NoBreakSpace>();
    is_event::<Newline>();
    is_event::<Control>();
    is_event::<Star>();
    is_event::<Wildcard>();
    is_event::<FirstDot>();
    is_event::<LastDot>();
    is_event::<TwoDots>();
    is_event::<OnlyDot>();
    is_event::<TooLong>();
}
