//! Both ends in one process, by the transport for tests: frames travel as bytes, and there is no server.

use std::error::Error;
use std::time::Duration;

use oyez::EventBus;
use oyez::transport::memory::Broker;

use crate::emit::{Pace, Tick, emit_all};
use crate::listen::print_all;
use crate::news;
use crate::output::say;

const COUNT: u64 = 3;
const DEADLINE: Duration = Duration::from_secs(5);

pub async fn run() -> Result<(), Box<dyn Error>> {
    say("two nodes in this process; --help tells how to have them in two");
    let broker = Broker::new();
    let (here, there) = (EventBus::new(), EventBus::new());
    print_all(&there)?;
    let listening = there.attach(broker.connect("demo")).await?;
    let emitting = here.attach(broker.connect("demo")).await?;

    let last = there.wait_for::<Tick>(|tick| tick.number == COUNT);
    emit_all(&here, &emitting, &Pace { count: Some(COUNT), rate: 0 }).await?;
    last.await?;

    for (bus, link) in [(here, emitting), (there, listening)] {
        bus.shutdown(DEADLINE).await;
        say(format_args!("{}: {}", news::short(bus.instance()), news::Summary(link.status())));
    }
    Ok(())
}
