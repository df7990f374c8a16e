//! A node of a test: a transport, and what it receives.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::StreamExt;
use oyez_bus::transport::{Frame, Incoming, Received, Transport, TransportError};
use oyez_transport_nats::NatsTransport;
use tokio::time::timeout;

/// Far more than anything takes.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

pub(crate) struct Node {
    pub(crate) transport: NatsTransport,
    pub(crate) incoming: Incoming,
}

impl Node {
    pub(crate) async fn join(url: &str, prefix: &str) -> Self {
        Self::with(NatsTransport::connect(url, prefix).await.expect("a connection")).await
    }

    pub(crate) async fn with(transport: NatsTransport) -> Self {
        let incoming = transport.subscribe().await.expect("a subscription");
        Self { transport, incoming }
    }

    pub(crate) async fn publish(&self, name: &str, payload: &str) -> Result<(), TransportError> {
        self.transport.publish(&[frame(name, payload)]).await
    }

    pub(crate) async fn publish_and_close(self, name: &str) {
        self.publish(name, "{}").await.expect("a connection");
        self.transport.close(LIMIT).await.expect("the server answers");
    }

    /// Whatever comes next; `None` when the stream has ended.
    pub(crate) async fn next(&mut self) -> Option<Received> {
        timeout(LIMIT, self.incoming.next()).await.expect("something is received in time")
    }

    /// The payload of the next frame.
    pub(crate) async fn payload(&mut self) -> String {
        loop {
            match self.next().await.expect("the stream goes on") {
                Received::Frame { payload, .. } => return String::from_utf8(payload.to_vec()).expect("text"),
                Received::Down | Received::Up => {}
            }
        }
    }

    /// The payloads of all frames up to this one, and how often the link went down meanwhile.
    pub(crate) async fn until(&mut self, last: &str) -> (Vec<String>, usize) {
        let (mut payloads, mut downs) = (Vec::new(), 0);
        while payloads.last().map(String::as_str) != Some(last) {
            match self.next().await.expect("the stream goes on") {
                Received::Frame { payload, .. } => payloads.push(String::from_utf8(payload.to_vec()).expect("text")),
                Received::Down => downs += 1,
                Received::Up => {}
            }
        }
        (payloads, downs)
    }

    pub(crate) async fn wait_for(&mut self, wanted: Received) {
        while self.next().await.as_ref() != Some(&wanted) {}
    }
}

pub(crate) fn frame(name: &str, payload: &str) -> Frame {
    Frame::new(name, payload.to_owned())
}

/// Frames with the payloads 0, 1, 2 and so on.
pub(crate) fn numbered(count: usize) -> Vec<Frame> {
    (0..count).map(|n| frame("tick", &n.to_string())).collect()
}

/// What a receiver makes of repeated frames: each number once, in the order of their first coming.
pub(crate) fn once_each(payloads: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    payloads.into_iter().filter(|payload| seen.insert(payload.clone())).collect()
}

/// Publishes a marker again and again, until it arrives: in a cluster nothing tells when a subscription has spread, and
/// nothing tells when a queue has room again. Returns what arrived until then, and how often the link went down.
pub(crate) async fn meet(sender: &Node, receiver: &mut Node, marker: &str) -> (Vec<String>, usize) {
    let publishing = async {
        loop {
            sender.publish("marker", marker).await.expect("a connection");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        () = publishing => unreachable!("it goes on for ever"),
        heard = receiver.until(marker) => heard,
    }
}

/// Polls until it is so.
pub(crate) async fn eventually(mut condition: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LIMIT, waiting).await.expect("the condition comes true in time");
}
