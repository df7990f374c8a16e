//! [`Setup`]: the processes that measure one transport.

use std::rc::Rc;
use std::time::Duration;

use super::emit::EmitCost;
use super::emitter::Emitter;
use super::latency::Latency;
use super::listener::Listener;
use super::raw::Raw;
use super::throughput::Throughput;
use super::way::Way;
use crate::backend::Backend;
use crate::failure::Failure;
use crate::node::Node;
use crate::role::Role;
use crate::samples::median;
use crate::server::Server;
use crate::subject::{Row, Subject};

/// Few enough that no queue between the processes overflows, even if the receiver comes late.
const BURST: u32 = 40_000;
const AWAITED: u32 = 4000;
/// One second.
const PACED: u32 = 1000;

/// Pipelines of Redis that are tried, and how often.
const BATCHES: [u64; 5] = [32, 128, 512, 2048, 8192];
const TRIES: usize = 5;

pub(super) struct Setup {
    pub(super) subjects: Vec<Box<dyn Subject>>,
    /// Commands in a pipeline.
    pub(super) batch: u64,
    /// It goes after those that use it.
    _server: Server,
}

/// From one process to the other.
#[derive(Clone)]
struct Lane {
    emitter: Rc<Emitter>,
    listener: Listener,
    way: Way,
}

impl Setup {
    pub(super) fn new(backend: Backend) -> Result<Self, Failure> {
        let server = Server::start(backend)?;
        let emitter = Rc::new(Emitter::new()?);
        let node = |prefix: &str| Node { backend, url: server.url(), prefix: prefix.to_owned() };

        let (here, there) = (node("oyez"), node("oyez"));
        let listener = Listener::start(&Role::Listen(there))?;
        let way = emitter.run(async move { Way::oyez(&here).await })?;
        let oyez = Lane { emitter: Rc::clone(&emitter), listener, way };

        let (here, there) = (node("raw"), node("raw"));
        let listener = Listener::start(&Role::ListenRaw(there))?;
        let raw = emitter.run(async move { Raw::connect(&here).await })?;
        let awaited = Lane { emitter: Rc::clone(&emitter), listener, way: Way::Awaited(raw.clone()) };
        let (pipelined, batch) = awaited.fastest(&raw)?;

        let frozen = Server::start(backend)?;
        let node = Node { backend, url: frozen.url(), prefix: "frozen".to_owned() };
        let subjects: Vec<Box<dyn Subject>> = vec![
            Box::new(oyez.throughput("oyez", BURST)),
            Box::new(pipelined.throughput("raw_pipelined", BURST)),
            Box::new(awaited.throughput("raw_awaited", AWAITED)),
            Box::new(oyez.latency(["p50", "p99"])),
            Box::new(awaited.latency(["raw_p50", "raw_p99"])),
            Box::new(EmitCost::new(emitter, frozen, node)?),
        ];
        Ok(Self { subjects, batch, _server: server })
    }
}

impl Lane {
    /// The batches that are fastest here. NATS has none.
    fn fastest(&self, raw: &Raw) -> Result<(Self, u64), Failure> {
        let mut tried = Vec::new();
        for batch in BATCHES {
            let lane = Self { way: Way::Pipelined { raw: raw.clone(), batch }, ..self.clone() };
            let mut throughput = lane.throughput("tried", BURST);
            let mut figures = Vec::new();
            for _ in 0..TRIES {
                figures.extend(throughput.measure(Duration::ZERO)?);
            }
            tried.push((median(&mut figures).unwrap_or(f64::NAN), lane, batch));
        }
        let fastest = tried.into_iter().min_by(|(one, ..), (other, ..)| one.total_cmp(other));
        let (_, lane, batch) = fastest.ok_or("no pipeline was tried")?;
        Ok((lane, batch))
    }

    fn throughput(&self, row: &str, burst: u32) -> Throughput {
        let Self { emitter, listener, way } = self.clone();
        Throughput { row: [Row::new(row, 1)], emitter, listener, way, burst }
    }

    fn latency(&self, rows: [&str; 2]) -> Latency {
        let Self { emitter, listener, way } = self.clone();
        Latency { rows: rows.map(|row| Row::new(row, 1)), emitter, listener, way, count: PACED }
    }
}
