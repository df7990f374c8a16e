//! [`Node`]: a bus with its link, and what it has seen.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use oyez_bus::testing::Recorder;
use oyez_bus::transport::TransportError;
use oyez_bus::{Attach, Event, EventBus, EventStream, Link, LinkEvent, LinkEvents, LinkStatus};

use crate::backend::Backend;
use crate::events::Tick;

/// The prefix of cases to which it does not matter.
pub(crate) const PREFIX: &str = "shop";

/// How long a case waits for what must come.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Node<B: Backend> {
    pub(crate) bus: EventBus,
    pub(crate) link: Link,
    pub(crate) wire: B::Wire,
    /// Everything that the link has told and was read here.
    pub(crate) told: Vec<LinkEvent>,
    events: LinkEvents,
    ticks: EventStream<Arc<Tick>>,
}

impl<B: Backend> Node<B> {
    pub(crate) async fn join(server: &B) -> Self {
        Self::join_with(server, PREFIX, |attach| attach).await
    }

    pub(crate) async fn join_with(
        server: &B,
        prefix: &str,
        settings: impl for<'b> FnOnce(Attach<'b>) -> Attach<'b>,
    ) -> Self {
        Self::attach(EventBus::new(), server, prefix, settings).await.expect("a node can join")
    }

    /// A node of a bus that is there already.
    pub(crate) async fn attach(
        bus: EventBus,
        server: &B,
        prefix: &str,
        settings: impl for<'b> FnOnce(Attach<'b>) -> Attach<'b>,
    ) -> Result<Self, TransportError> {
        let ticks = bus.stream::<Tick>(100_000);
        let (transport, wire) = server.connect(prefix).await?;
        let link = settings(bus.attach(transport)).await?;
        let events = link.events();
        Ok(Self { bus, link, wire, told: Vec::new(), events, ticks })
    }

    /// Emits one tick.
    pub(crate) async fn tick(&self, n: u64) {
        self.bus.emit(Tick { n }).await.expect("the bus takes events");
    }

    /// The numbers of the ticks that were handled here, up to and with the number `last`.
    pub(crate) async fn ticks_until(&mut self, last: u64) -> Vec<u64> {
        let mut numbers = Vec::new();
        let seen = patiently(async {
            while numbers.last() != Some(&last) {
                let tick = self.ticks.next().await.expect("the bus is there").expect("the stream holds all");
                numbers.push(tick.n);
            }
        });
        let arrived = seen.await.is_some();
        assert!(arrived, "tick {last} does not arrive, {numbers:?} did; {:?}", self.link.status());
        numbers
    }

    /// Waits until the link says that its connection is gone.
    pub(crate) async fn down(&mut self) {
        self.tells("down", |event| matches!(event, LinkEvent::Down).then_some(())).await;
    }

    /// Waits until the link says that its connection is back.
    pub(crate) async fn up(&mut self) -> Duration {
        self.tells("up", |event| if let LinkEvent::Up { down_for } = event { Some(*down_for) } else { None }).await
    }

    /// Waits for a gap, and returns how many events it is.
    pub(crate) async fn gap(&mut self) -> u64 {
        self.tells("a gap", |event| if let LinkEvent::Gap { lost, .. } = event { Some(*lost) } else { None }).await
    }

    /// Waits until the link tells something wanted.
    pub(crate) async fn tells<T>(&mut self, what: &str, wanted: impl Fn(&LinkEvent) -> Option<T>) -> T {
        let told = patiently(async {
            loop {
                let event = self.events.next().await.expect("the link is open");
                let found = wanted(&event);
                self.told.push(event);
                if let Some(found) = found {
                    return found;
                }
            }
        });
        match told.await {
            Some(found) => found,
            None => panic!("the link does not tell {what}; it told {:?} and is {:?}", self.told, self.link.status()),
        }
    }

    /// Everything that the link has told by now.
    pub(crate) fn told_by_now(&mut self) -> &[LinkEvent] {
        use futures_util::FutureExt;
        while let Some(Some(event)) = self.events.next().now_or_never() {
            self.told.push(event);
        }
        &self.told
    }

    /// Waits until the link's status is as wanted.
    pub(crate) async fn status(&self, wanted: impl Fn(&LinkStatus) -> bool) -> LinkStatus {
        let waited = eventually(async || wanted(&self.link.status())).await;
        let status = self.link.status();
        assert!(waited, "the status does not become what it should: {status:?}");
        status
    }
}

/// Waits until the recorder has a tick as its last event: it may be told later than the node's own stream of them.
pub(crate) async fn recorded_tick(recorder: &Recorder) {
    let has_it = async || recorder.names().last().is_some_and(|name| name == Tick::NAME);
    assert!(eventually(has_it).await, "no tick is recorded");
}

/// Whether a condition becomes true in time.
pub(crate) async fn eventually(condition: impl AsyncFn() -> bool) -> bool {
    let started = Instant::now();
    while !condition().await {
        if started.elapsed() > PATIENCE {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    true
}

/// What comes, if it comes in time.
pub(crate) async fn patiently<T>(coming: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(PATIENCE, coming).await.ok()
}
