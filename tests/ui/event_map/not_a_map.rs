use oyez::EventMap;

enum Plain {}

fn is_map<M: EventMap>() {}

fn main() {
    is_map::<Plain>();
}
