//! From the inbox to the handlers: events start in the order in which they arrived, and those whose handlers wait go on
//! beside the next ones.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use crate::bus::{EventBus, WeakEventBus};
use crate::context::{Given, Reach};
use crate::dispatch::{Begun, NameHeardBy, Remote, begin_remote, isolated};
use crate::envelope::{Envelope, RejectedReason};
use crate::link::core::Core;
use crate::link::inbox::{Fate, Inbox, Verdict};
use crate::link::receiver::Arrived;
use crate::link::status::{LinkEvent, Rejected};
use crate::tracker::{Ticket, Work};

/// Looks at frames that make no sense.
pub(super) type OnRejected = Box<dyn Fn(&Rejected) + Send + Sync>;

/// Frames that are taken from the inbox at a time.
const BATCH: usize = 256;

pub(super) struct Dispatcher {
    pub(super) core: Arc<Core>,
    pub(super) bus: WeakEventBus,
    pub(super) inbox: Inbox,
    pub(super) on_rejected: Option<OnRejected>,
    /// Events whose handlers may wait at a time.
    pub(super) in_flight: usize,
}

/// An event whose handlers wait.
type Waiting = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Dispatcher {
    pub(super) async fn run(mut self, mut arrived: mpsc::Receiver<Arrived>) {
        let mut waiting = FuturesUnordered::new();
        let mut frames = Vec::with_capacity(BATCH);
        loop {
            tokio::select! {
                biased;
                Some(()) = waiting.next() => continue,
                taken = arrived.recv_many(&mut frames, BATCH) => if taken == 0 { break },
            }
            for frame in frames.drain(..) {
                while waiting.len() >= self.in_flight {
                    waiting.next().await;
                }
                waiting.extend(self.start(frame).await);
                tokio::task::coop::consume_budget().await;
            }
        }
        while waiting.next().await.is_some() {}
    }

    /// Starts the handlers of one frame's event.
    async fn start(&mut self, frame: Arrived) -> Option<Waiting> {
        let Verdict { lost, fate } = self.inbox.judge(&frame.payload);
        if let Some((origin, lost)) = lost {
            self.tell_lost(origin, lost);
        }
        let counts = &self.core.counts;
        match fate {
            Fate::Handle(envelope) => return self.handle(*envelope, &frame).await,
            Fate::Rejected(reason) => self.reject(reason, &frame),
            Fate::Echo => counts.echoes.add(1),
            Fate::Duplicate => counts.duplicates.add(1),
            Fate::Filtered => counts.filtered.add(1),
            Fate::Control => {}
        }
        None
    }

    async fn handle(&self, envelope: Envelope<'_>, frame: &Arrived) -> Option<Waiting> {
        let counts = &self.core.counts;
        // After a shutdown has begun, nothing of others is handled any more.
        let Some(bus) = self.bus.upgrade().filter(EventBus::is_open) else {
            counts.unhandled.add(1);
            return None;
        };
        let Some(heard) = NameHeardBy::find(&bus, &envelope.name) else {
            counts.unheard.add(1);
            return None;
        };
        let Some(ticket) = bus.shared.tracker.ticket(Work::Detached, None) else {
            counts.unhandled.add(1);
            return None;
        };
        let mut event = Some((heard, remote(envelope, &ticket)));
        let begun = poll_fn(|task| {
            let mut begin = || event.take().map(|(heard, remote)| begin_remote(&bus, heard, remote, task));
            Poll::Ready(isolated(&mut begin))
        });
        match begun.await {
            Ok(Some(Ok(begun))) => {
                counts.handled.add(1);
                waiting(begun, ticket)
            }
            Ok(Some(Err(_))) => {
                self.reject(RejectedReason::Undecodable, frame);
                None
            }
            Ok(None) => None,
            // Handlers are isolated, so this is the event's own drop.
            Err(panic) => {
                tracing::error!(target: "oyez", error = panic.reason(), "an event of another node panicked");
                None
            }
        }
    }

    fn tell_lost(&self, origin: Arc<str>, lost: u64) {
        self.core.counts.lost.add(lost);
        if let Some(times) = self.core.logs.lost.tick() {
            tracing::warn!(target: "oyez", link = &*self.core.node.link, origin = &*origin, lost, times, "events of another node are lost");
        }
        self.core.tell(LinkEvent::Gap { origin, lost });
    }

    fn reject(&self, reason: RejectedReason, frame: &Arrived) {
        self.core.counts.rejected.add(1);
        let Arrived { channel, payload } = frame;
        if let Some(times) = self.core.logs.rejected.tick() {
            let size = payload.len();
            tracing::warn!(target: "oyez", link = &*self.core.node.link, channel = &**channel, size, %reason, times, "frame rejected");
        }
        if let Some(look) = &self.on_rejected {
            let rejected = Rejected { reason, channel: Arc::clone(channel), payload: payload.clone() };
            // It is the program's code.
            _ = isolated(|| look(&rejected));
        }
        self.core.tell(LinkEvent::Rejected { reason });
    }
}

/// What goes to the handlers.
fn remote(envelope: Envelope<'_>, ticket: &Ticket) -> Remote {
    let origin: Arc<str> = envelope.origin().id().into();
    let given = Given {
        id: Some(envelope.id),
        correlation: envelope.correlation,
        causation: envelope.causation,
        headers: envelope.headers,
        origin: Some(origin),
    };
    Remote {
        version: envelope.version,
        data: envelope.data.map_or_else(|| RawValue::NULL.to_owned(), RawValue::to_owned),
        given,
        time: envelope.time,
        depth: envelope.depth,
        reach: Reach { epoch: Some(ticket.epoch()), ..Reach::default() },
    }
}

fn waiting(begun: Begun, ticket: Ticket) -> Option<Waiting> {
    match begun {
        Begun::Done(_) => None,
        Begun::Waiting(rest) => Some(Box::pin(async move {
            rest.await;
            drop(ticket);
        })),
    }
}
