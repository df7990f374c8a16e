//! [`EmitCost`]: what an emit costs its caller, without a link, with one, and with one whose server is frozen.

use std::rc::Rc;
use std::time::{Duration, Instant};

use oyez::{EventBus, Link};
use tokio::time::{sleep, timeout};

use super::emitter::Emitter;
use super::event::Paid;
use crate::failure::Failure;
use crate::node::Node;
use crate::samples::median;
use crate::server::Server;
use crate::subject::{Row, Subject};

/// The figure is the median of slices of so many emits: a slice is shorter than a scheduler's time slice.
const SLICE: u32 = 1000;
/// More emits than an outbox has room for.
const FILL: u64 = 10_000;
const IDLE_WITHIN: Duration = Duration::from_secs(5);

pub(super) struct EmitCost {
    rows: [Row; 3],
    emitter: Rc<Emitter>,
    /// One that nobody else uses.
    server: Server,
    alone: EventBus,
    linked: EventBus,
    link: Link,
}

impl EmitCost {
    pub(super) fn new(emitter: Rc<Emitter>, server: Server, node: Node) -> Result<Self, Failure> {
        let linked = EventBus::new();
        let bus = linked.clone();
        let link = emitter.run(async move { Ok(node.attach(&bus).await?) })?;
        let rows = ["emit_none", "emit_up", "emit_frozen"].map(|name| Row::new(name, 0));
        Ok(Self { rows, emitter, server, alone: EventBus::new(), linked, link })
    }

    fn cost(&self, bus: &EventBus, budget: Duration) -> Result<f64, Failure> {
        self.emitter.run(cost(bus.clone(), budget))
    }
}

impl Subject for EmitCost {
    fn rows(&self) -> &[Row] {
        &self.rows
    }

    fn measure(&mut self, budget: Duration) -> Result<Vec<f64>, Failure> {
        let none = self.cost(&self.alone, budget)?;
        let up = self.cost(&self.linked, budget)?;
        self.emitter.run(idle(self.link.clone()))?;
        self.server.freeze()?;
        self.emitter.run(emit(self.linked.clone(), FILL))?;
        let frozen = self.cost(&self.linked, budget)?;
        self.server.thaw()?;
        self.emitter.run(idle(self.link.clone()))?;
        Ok(vec![none, up, frozen])
    }
}

async fn cost(bus: EventBus, budget: Duration) -> Result<f64, Failure> {
    let begin = Instant::now();
    let mut slices = Vec::new();
    while slices.is_empty() || begin.elapsed() < budget {
        let begin = Instant::now();
        emit(bus.clone(), SLICE.into()).await?;
        slices.push(begin.elapsed().as_nanos() as f64 / f64::from(SLICE));
    }
    Ok(median(&mut slices).ok_or("nothing was measured")?)
}

async fn emit(bus: EventBus, times: u64) -> Result<(), Failure> {
    for number in 0..times {
        bus.emit(Paid::new(number)).await?;
    }
    Ok(())
}

/// Waits until all that was emitted has been sent, and has come back.
async fn idle(link: Link) -> Result<(), Failure> {
    let idle = async {
        loop {
            let status = link.status();
            if status.outbox == 0 && status.echoes + status.overrun >= status.sent {
                return;
            }
            sleep(Duration::from_millis(1)).await;
        }
    };
    Ok(timeout(IDLE_WITHIN, idle).await.map_err(|_| "the link does not come to rest")?)
}
