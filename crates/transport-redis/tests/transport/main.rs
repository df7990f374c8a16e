//! The transport by itself, against real servers; what it promises together with a bus is in `conformance`.

#![expect(clippy::expect_used, clippy::panic, reason = "a test may fail so")]

mod connect;
mod delivery;
mod folder;
mod outages;
mod tls;

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use oyez_bus::transport::{Frame, Incoming, Received, Transport, TransportError};
use oyez_conformance::server::redis::RedisServer;
use oyez_transport_redis::RedisTransport;
use tokio::time::timeout;

const PREFIX: &str = "shop";
/// Far more than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

async fn connected(server: &RedisServer) -> RedisTransport {
    RedisTransport::connect(server.url(), PREFIX).await.expect("a connection")
}

async fn next(incoming: &mut Incoming) -> Received {
    let received = timeout(PATIENCE, incoming.next()).await.expect("something arrives");
    received.expect("the transport is open")
}

/// What the next frame carries.
async fn payload(incoming: &mut Incoming) -> Bytes {
    match next(incoming).await {
        Received::Frame { payload, .. } => payload,
        other => panic!("{other:?} instead of a frame"),
    }
}

fn frame(payload: impl Into<Vec<u8>>) -> Frame {
    Frame::new("order.paid", payload.into())
}

/// Publishes as the link does: again after an error that may go away.
async fn publish(transport: &RedisTransport, payload: &str) {
    let frames = [frame(payload)];
    let published = async {
        while let Err(error) = transport.publish(&frames).await {
            assert!(error.is_retryable(), "{error:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, published).await.expect("published in the end");
}

/// What a program may come to see of an error.
fn words(error: &TransportError) -> String {
    let mut words = format!("{error} {error:?}");
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        words.push_str(&format!(" {error} {error:?}"));
        cause = error.source();
    }
    words
}

/// Waits until a condition holds.
async fn eventually<F: Future<Output = bool>>(what: &str, condition: impl Fn() -> F) {
    let holds = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(timeout(PATIENCE, holds).await.is_ok(), "not so after {PATIENCE:?}: {what}");
}

/// How many subscribe to the prefix.
async fn subscribers(server: &RedisServer) -> String {
    let reply = server.command(&["PUBSUB", "NUMSUB", PREFIX]).await;
    reply.lines().last().unwrap_or_default().to_owned()
}

/// How many connections the server has, the asking one not counted.
async fn clients(server: &RedisServer) -> usize {
    server.command(&["CLIENT", "LIST"]).await.matches("id=").count() - 1
}

/// How often the server was pinged; `field` is one of `INFO commandstats`.
async fn pings(server: &RedisServer, field: &str) -> u64 {
    let stats = server.command(&["INFO", "commandstats"]).await;
    let line = stats.lines().find_map(|line| line.strip_prefix("cmdstat_ping:")).unwrap_or_default();
    let count = line.split(',').find_map(|pair| pair.strip_prefix(field)?.strip_prefix('='));
    count.map_or(0, |count| count.parse().expect("a number"))
}

/// Waits until the server was pinged ten times, during which nothing may be received.
async fn quiet_for_ten_pings(incoming: &mut Incoming, server: &RedisServer, field: &str) {
    let enough = pings(server, field).await + 10;
    tokio::select! {
        received = next(incoming) => panic!("{received:?} although nothing happened"),
        () = eventually("ten more pings", || async { pings(server, field).await >= enough }) => {}
    }
}
