//! The process that emits, in which two buses are two nodes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use oyez::{EventBus, Link};
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;
use tokio::time::interval;

use super::event::Counted;
use super::weight::Weight;
use crate::child::serve;
use crate::failure::Failure;
use crate::node::{Node, runtime};

/// Each node emits this many events after each pause: 2,000 a second.
const PAUSE: Duration = Duration::from_millis(1);
const AT_A_TIME: u64 = 2;
const NODES: usize = 2;
const CLOSED_WITHIN: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) enum Order {
    Start,
    Weigh,
    Close,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    Started,
    Weight(Weight),
    Closed(Vec<Closed>),
}

/// How one node ended.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Closed {
    pub(super) origin: String,
    pub(super) emitted: u64,
    /// Those that the full outbox dropped.
    pub(super) dropped: u64,
    pub(super) unsent: u64,
    pub(super) confirmed: bool,
}

struct Emitting {
    bus: EventBus,
    link: Link,
    stopped: Arc<AtomicBool>,
    emitted: Arc<AtomicU64>,
    task: Option<JoinHandle<()>>,
}

pub(crate) fn emit(node: &Node) -> Result<(), Failure> {
    let runtime = runtime()?;
    let mut nodes = Vec::new();
    for _ in 0..NODES {
        nodes.push(runtime.block_on(Emitting::new(node))?);
    }
    serve(|order| {
        Ok(match order {
            Order::Start => {
                let _inside = runtime.enter();
                nodes.iter_mut().for_each(Emitting::start);
                Answer::Started
            }
            Order::Weigh => Answer::Weight(Weight::of(&runtime)?),
            Order::Close => Answer::Closed(runtime.block_on(join_all(nodes.iter_mut().map(Emitting::close)))),
        })
    })
}

impl Emitting {
    async fn new(node: &Node) -> Result<Self, Failure> {
        let bus = EventBus::new();
        let link = node.attach(&bus).await?;
        Ok(Self { bus, link, stopped: Arc::default(), emitted: Arc::default(), task: None })
    }

    fn start(&mut self) {
        let (bus, stopped, emitted) = (self.bus.clone(), Arc::clone(&self.stopped), Arc::clone(&self.emitted));
        self.task = Some(tokio::spawn(async move {
            let mut pauses = interval(PAUSE);
            while !stopped.load(Ordering::Relaxed) {
                pauses.tick().await;
                for _ in 0..AT_A_TIME {
                    let number = emitted.load(Ordering::Relaxed);
                    if bus.emit(Counted { number }).await.is_ok() {
                        emitted.store(number + 1, Ordering::Relaxed);
                    }
                }
            }
        }));
    }

    async fn close(&mut self) -> Closed {
        self.stopped.store(true, Ordering::Relaxed);
        if let Some(task) = self.task.take() {
            // The loop does not panic, and nobody aborts it.
            _ = task.await;
        }
        let closed = self.link.close(CLOSED_WITHIN).await;
        Closed {
            origin: self.bus.instance().to_owned(),
            emitted: self.emitted.load(Ordering::Relaxed),
            dropped: self.link.status().dropped,
            unsent: closed.unsent,
            confirmed: closed.confirmed,
        }
    }
}
