//! The receiving end of a [`MemoryTransport`], which reconnects by itself.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::unfold;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::transport::memory::broker::{Broker, Subscription};
use crate::transport::memory::connection::MemoryTransport;
use crate::transport::memory::faults::{Faults, Passed};
use crate::transport::memory::wire::Wire;
use crate::transport::{Backoff, Incoming, Received, TransportError};

pub(super) struct Subscriber {
    broker: Broker,
    wire: Wire,
    prefix: Arc<str>,
    silence: Duration,
    faults: Faults,
    /// `None` while there is no connection.
    subscription: Option<Subscription>,
    backoff: Backoff,
    arrived: VecDeque<Bytes>,
    closed: watch::Receiver<bool>,
}

impl Subscriber {
    pub(super) fn new(transport: &MemoryTransport) -> Result<Self, TransportError> {
        let MemoryTransport { broker, wire, prefix, silence, faults, closed, .. } = transport;
        Ok(Self {
            subscription: Some(broker.subscribe(prefix, wire)?),
            broker: broker.clone(),
            wire: wire.clone(),
            prefix: Arc::clone(prefix),
            silence: *silence,
            faults: faults.clone(),
            backoff: Backoff::default(),
            arrived: VecDeque::new(),
            closed: closed.subscribe(),
        })
    }

    pub(super) fn incoming(self) -> Incoming {
        Box::pin(unfold(self, async |mut subscriber| {
            let mut closed = subscriber.closed.clone();
            let received = tokio::select! {
                biased;
                // A transport that was dropped is closed too.
                _ = closed.wait_for(|closed| *closed) => None,
                received = subscriber.next() => Some(received),
            };
            received.map(|received| (received, subscriber))
        }))
    }

    async fn next(&mut self) -> Received {
        loop {
            if let Some(payload) = self.arrived.pop_front() {
                return Received::Frame { channel: Arc::clone(&self.prefix), payload };
            }
            let Some(subscription) = &mut self.subscription else {
                self.reconnect().await;
                return Received::Up;
            };
            // An answered ping at half of the bound leaves the other half for the answer.
            match timeout(self.silence / 2, subscription.frames.recv()).await {
                Ok(Some(frame)) => match self.faults.pass(frame) {
                    Passed::Arrive(frames) => self.arrived.extend(frames),
                    Passed::Disconnect => return self.disconnected(),
                },
                Ok(None) => return self.disconnected(),
                Err(_) if self.broker.pings(subscription.id, &self.wire) => {}
                Err(_) => return self.disconnected(),
            }
        }
    }

    fn disconnected(&mut self) -> Received {
        self.leave();
        Received::Down
    }

    async fn reconnect(&mut self) {
        while self.subscription.is_none() {
            sleep(self.backoff.pause()).await;
            self.subscription = self.broker.subscribe(&self.prefix, &self.wire).ok();
        }
        self.backoff.reset();
    }

    fn leave(&mut self) {
        if let Some(subscription) = self.subscription.take() {
            self.broker.leave(subscription.id);
        }
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        self.leave();
    }
}
