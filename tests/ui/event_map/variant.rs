use std::rc::Rc;
use std::sync::Arc;

use oyez::{Event, EventMap};

#[derive(Event)]
#[event(name = "user", local)]
struct User;

#[derive(Event)]
#[event(name = "order", local)]
struct Order;

type Alias = Arc<User>;

#[derive(EventMap)]
enum Map {
    Unit,
    None(),
    Two(Arc<User>, Arc<Order>),
    Named { user: Arc<User> },
    Plain(User),
    Boxed(Box<User>),
    Aliased(Alias),
    Tuple((Arc<User>,)),
    Fine(Arc<User>),
}

#[derive(EventMap)]
enum NotSend {
    Counted(Rc<User>),
}

fn is_map<M: EventMap>() {}

fn main() {
    is_map::<Map>();
}
