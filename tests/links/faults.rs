//! T3, T7: what is lost is told, and what comes twice or late is handled once, whatever goes wrong on the way.

use std::time::Duration;

use oyez::transport::memory::{Broker, Faults};
use oyez::{Event, EventBus, LinkEvent};
use serde::{Deserialize, Serialize};

use crate::LONG;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "faults.tick")]
struct Tick(usize);

#[tokio::test]
async fn t07_handled_and_lost_are_what_was_emitted_whatever_goes_wrong() {
    const EVENTS: usize = 3000;
    for seed in 0..8 {
        let broker = Broker::new();
        let (here, there) = (EventBus::new(), EventBus::new());
        let faults = Faults::seeded(seed).drop(0.05).duplicate(0.05).delay(0.05).disconnect(0.002);
        let receiving = there.attach(broker.connect("test").faults(faults)).await.unwrap();
        let mut ticks = there.stream::<Tick>(EVENTS);
        let mut events = receiving.events();
        let sending = here.attach(broker.connect("test")).beat(Duration::from_millis(20)).await.unwrap();
        for n in 0..EVENTS {
            here.emit(Tick(n)).await.unwrap();
            if n % 100 == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        // Beats go on until the last number has got through.
        let (mut handled, mut lost) = (vec![0; EVENTS], 0);
        let baseline = loop {
            tokio::select! {
                tick = ticks.next() => handled[tick.unwrap().unwrap().0] += 1,
                event = events.next() => if let Some(LinkEvent::Gap { origin, lost: more }) = event {
                    assert_eq!(&*origin, here.instance());
                    lost += more as usize;
                },
                () = tokio::time::sleep(LONG) => panic!("seed {seed}: {:?}", receiving.status()),
            }
            // What was lost before the first frame is nobody's gap.
            let first = handled.iter().position(|&times| times > 0).unwrap_or(EVENTS);
            if first < 100 && handled.iter().sum::<usize>() + lost + first >= EVENTS {
                break first;
            }
        };
        assert!(handled.iter().all(|&times| times <= 1), "seed {seed}");
        assert_eq!(handled.iter().sum::<usize>() + lost + baseline, EVENTS, "seed {seed}");
        let status = receiving.status();
        assert!(lost > 0 && status.duplicates > 0, "seed {seed}: {status:?}");
        sending.close(LONG).await;
    }
}
