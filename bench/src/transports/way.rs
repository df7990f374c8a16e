//! [`Way`]: how events get to the other process.

use std::time::Duration;

use oyez::{EventBus, Link};
use tokio::time::interval;

use super::event::Paid;
use super::raw::Raw;
use crate::failure::Failure;
use crate::node::Node;

/// Emits between two looks at the outbox. Half of its 8192 frames are free at each.
const UNLOOKED: u64 = 256;

#[derive(Clone)]
pub(super) enum Way {
    Oyez { bus: EventBus, link: Link },
    Pipelined { raw: Raw, batch: u64 },
    Awaited(Raw),
}

impl Way {
    pub(super) async fn oyez(node: &Node) -> Result<Self, Failure> {
        let bus = EventBus::new();
        let link = node.attach(&bus).await?;
        Ok(Self::Oyez { bus, link })
    }

    /// As many as go.
    pub(super) async fn burst(self, count: u64) -> Result<(), Failure> {
        match self {
            Self::Oyez { bus, link } => {
                for number in 0..count {
                    if number % UNLOOKED == 0 {
                        link.room().await;
                    }
                    bus.emit(Paid::new(number)).await?;
                }
                Ok(())
            }
            Self::Pipelined { mut raw, batch } => raw.pipelined(count, batch).await,
            Self::Awaited(mut raw) => raw.awaited(count).await,
        }
    }

    /// One after each `pause`.
    pub(super) async fn paced(mut self, count: u64, pause: Duration) -> Result<(), Failure> {
        let mut pauses = interval(pause);
        for number in 0..count {
            pauses.tick().await;
            match &mut self {
                Self::Oyez { bus, .. } => {
                    bus.emit(Paid::new(number)).await?;
                }
                Self::Pipelined { raw, .. } | Self::Awaited(raw) => raw.one(number).await?,
            }
        }
        Ok(())
    }
}
