//! The receiving half of a link: from the transport to the inbox, as fast as frames come (promise T12).

use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use crate::link::core::Core;
use crate::transport::{Incoming, Received};

/// A frame that waits to be handled.
#[derive(Debug)]
pub(super) struct Arrived {
    pub(super) channel: Arc<str>,
    pub(super) payload: Bytes,
}

pub(super) async fn run(core: Arc<Core>, mut incoming: Incoming, inbox: mpsc::Sender<Arrived>) {
    while let Some(received) = incoming.next().await {
        match received {
            Received::Frame { channel, payload } => {
                core.counts.received.add(1);
                match inbox.try_send(Arrived { channel, payload }) {
                    Ok(()) => {}
                    Err(TrySendError::Full(_)) => overrun(&core),
                    Err(TrySendError::Closed(_)) => break,
                }
            }
            Received::Down => core.went_down(),
            Received::Up => core.came_up(),
        }
    }
}

/// What is dropped here is told as a gap when the next frame of its sender is handled.
#[cold]
fn overrun(core: &Core) {
    core.counts.overrun.add(1);
    if let Some(times) = core.logs.overrun.tick() {
        tracing::warn!(target: "oyez", link = &*core.node.link, times, "handlers too slow, event of another node dropped");
    }
}
