//! `emit`: emits events at a pace, whether or not the server is there.

use std::error::Error;
use std::time::Duration;

use oyez::{Event, EventBus, Link};
use serde::{Deserialize, Serialize};
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::connect::Place;
use crate::news;
use crate::output::say;
use crate::stop::Stop;

const DEADLINE: Duration = Duration::from_secs(5);

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "demo.tick")]
pub struct Tick {
    pub number: u64,
}

/// How many events, and how fast.
pub struct Pace {
    pub count: Option<u64>,
    /// A second; 0 is as many as the server takes.
    pub rate: u32,
}

pub async fn run(place: &Place, pace: Pace, mut stop: Stop) -> Result<(), Box<dyn Error>> {
    let bus = EventBus::new();
    let link = place.attach(&bus).await?;
    let news = tokio::spawn(news::tell(link.events()));
    say(format_args!("emitting {} on `{}` as {}", Tick::NAME, place.prefix(), news::short(bus.instance())));
    tokio::select! {
        emitted = emit_all(&bus, &link, &pace) => emitted?,
        () = stop.asked() => {}
    }
    // Sends what waits in the outbox, and says how many events could not be sent in time.
    let shutdown = bus.shutdown(DEADLINE).await;
    news.await?;
    say(news::Summary(link.status()));
    if shutdown.unsent > 0 {
        say(format_args!("{} events were not sent: the server was away", shutdown.unsent));
    }
    Ok(())
}

pub async fn emit_all(bus: &EventBus, link: &Link, pace: &Pace) -> Result<(), oyez::EmitError> {
    let mut ticks = pace.interval();
    for number in 1..=pace.count.unwrap_or(u64::MAX) {
        match &mut ticks {
            Some(ticks) => _ = ticks.tick().await,
            // An emit never waits for the server. Who would rather wait than lose events asks for room.
            None => link.room().await,
        }
        let emitted = bus.emit(Tick { number }).await?;
        for left in emitted.links() {
            say(format_args!("event {number} was not sent: {}", left.reason()));
        }
    }
    Ok(())
}

impl Pace {
    fn interval(&self) -> Option<Interval> {
        // More than one in a nanosecond is as fast as it goes, too.
        let pause = Duration::from_secs(1).checked_div(self.rate).filter(|pause| !pause.is_zero())?;
        let mut ticks = interval(pause);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Some(ticks)
    }
}
