//! The suite that every transport passes, on the in-memory transport, and the faults that only it can be told to have.

#![expect(clippy::expect_used, clippy::panic, reason = "the helpers of tests fail as tests do")]

use std::time::Duration;

use oyez_bus::testing::Recorder;
use oyez_bus::transport::TransportError;
use oyez_bus::transport::memory::{Broker, Faults, MemoryTransport, Wire};
use oyez_bus::{AnyEvent, EventBus, LinkStatus};
use oyez_conformance::{Backend, SILENCE};

oyez_conformance::transport_suite!(Memory);

struct Memory(Broker);

impl Backend for Memory {
    type Transport = MemoryTransport;
    type Wire = MemoryWire;

    async fn start() -> Self {
        Self(Broker::new())
    }

    async fn connect(&self, prefix: &str) -> Result<(MemoryTransport, MemoryWire), TransportError> {
        let transport = self.0.connect(prefix).silence(SILENCE);
        let wire = MemoryWire(transport.wire());
        Ok((transport, wire))
    }

    fn address(&self) -> Option<String> {
        None
    }

    async fn connect_to(_address: &str, _prefix: &str) -> Result<MemoryTransport, TransportError> {
        unreachable!("it has no address")
    }

    fn kill(&mut self) {
        self.0.kill();
    }

    async fn restart(&mut self) {
        self.0.restart();
    }

    fn freeze(&mut self) {
        self.0.freeze();
    }

    fn thaw(&mut self) {
        self.0.thaw();
    }

    async fn publish(&self, prefix: &str, _name: &str, payload: &[u8]) {
        self.0.publish(prefix, payload.to_vec());
    }

    async fn subscriptions(&self, prefix: &str) -> usize {
        self.0.subscriptions(prefix)
    }
}

struct MemoryWire(Wire);

impl oyez_conformance::Wire for MemoryWire {
    fn blackhole(&self) {
        self.0.blackhole();
    }

    fn heal(&self) {
        self.0.heal();
    }

    fn cut(&self) {
        self.0.cut();
    }

    fn connections(&self) -> usize {
        self.0.connections()
    }
}

#[tokio::test]
async fn t07_dropped_frames_are_told_as_gaps() {
    for seed in 0..10 {
        let Outcome { handled, status } = with_faults(Faults::seeded(seed).drop(0.1)).await;
        assert!(status.lost > 0 && status.duplicates == 0, "{status:?}");
        assert_increasing(&handled);
    }
}

#[tokio::test]
async fn t05_duplicated_frames_are_handled_once() {
    for seed in 0..10 {
        let Outcome { handled, status } = with_faults(Faults::seeded(seed).duplicate(0.1)).await;
        assert!(status.lost == 0 && status.duplicates > 0, "{status:?}");
        assert_eq!(handled, (0..EMITTED).collect::<Vec<_>>());
    }
}

/// An event that comes after a later one of its sender has been told as lost already, and stays so.
#[tokio::test]
async fn t07_late_frames_are_told_as_gaps_and_not_handled() {
    for seed in 0..10 {
        let Outcome { handled, status } = with_faults(Faults::seeded(seed).delay(0.1)).await;
        assert!(status.lost > 0 && status.duplicates > 0, "{status:?}");
        assert_increasing(&handled);
    }
}

#[tokio::test]
async fn t07_all_faults_together_add_up() {
    for seed in 0..10 {
        let faults = Faults::seeded(seed).drop(0.05).duplicate(0.05).delay(0.05).disconnect(0.001);
        assert_increasing(&with_faults(faults).await.handled);
    }
}

const EMITTED: u64 = 2000;

/// What a node with faults has handled, and its link's status.
struct Outcome {
    handled: Vec<u64>,
    status: LinkStatus,
}

/// Emits numbers to a node with these faults, until every number from the first that it handled on is handled or told as
/// lost.
async fn with_faults(faults: Faults) -> Outcome {
    let broker = Broker::new();
    let (here, there) = (EventBus::new(), EventBus::new());
    let link = there.attach(broker.connect("shop").faults(faults)).await.expect("it attaches");
    let recorder = Recorder::new(&there);
    // Beats tell of the last numbers too, as soon as one gets through.
    let sending = here.attach(broker.connect("shop")).beat(Duration::from_millis(5)).await.expect("it attaches");
    for n in 0..EMITTED {
        sending.room().await;
        here.emit_json("number", n).await.expect("the bus takes events");
    }
    let add_up = async {
        loop {
            let handled = numbers(&recorder);
            let status = link.status();
            if handled.first().is_some_and(|first| first + status.handled + status.lost == EMITTED) {
                return Outcome { handled, status };
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    match tokio::time::timeout(Duration::from_secs(30), add_up).await {
        Ok(outcome) => outcome,
        Err(_) => panic!("handled and lost do not add up to {EMITTED}: {:?}", link.status()),
    }
}

fn numbers(recorder: &Recorder) -> Vec<u64> {
    let number = |event: AnyEvent| event.json().and_then(|json| json.as_u64()).expect("a number");
    recorder.named("number").into_iter().map(number).collect()
}

fn assert_increasing(numbers: &[u64]) {
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
}
