//! What a bus does with its links, whatever the transport; what a transport promises is in the suite of `oyez-conformance`.

#[path = "../common/gate.rs"]
mod gate;
#[path = "../common/journal.rs"]
mod journal;

mod closing;
mod emitting;
mod faults;
mod order;

use std::time::Duration;

use oyez::transport::memory::Broker;
use oyez::{Attach, EventBus, Link};

const LONG: Duration = Duration::from_secs(20);

/// Two buses with a link each on one broker; the second one's is attached first.
async fn pair() -> (EventBus, EventBus, Link) {
    pair_with(|attach| attach).await
}

#[expect(clippy::unwrap_used, reason = "the test fails here")]
async fn pair_with(settings: impl FnOnce(Attach<'_>) -> Attach<'_>) -> (EventBus, EventBus, Link) {
    let broker = Broker::new();
    let (here, there) = (EventBus::new(), EventBus::new());
    there.attach(broker.connect("test")).await.unwrap();
    let link = settings(here.attach(broker.connect("test"))).await.unwrap();
    (here, there, link)
}
