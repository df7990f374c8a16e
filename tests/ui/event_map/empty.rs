use oyez::EventMap;

#[derive(EventMap)]
enum Empty {}

fn is_map<M: EventMap>() {}

fn main() {
    is_map::<Empty>();
}
