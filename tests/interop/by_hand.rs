//! A program without any library: a CloudEvent as text, published by the server's own protocol.

use std::time::{Duration, SystemTime};

use oyez_conformance::foreign::nats_publish;
use oyez_conformance::server::nats::NatsServer;
use oyez_conformance::server::redis::RedisServer;

use crate::theirs::{Heard, Theirs, remote};
use crate::{OrderPaid, PREFIX};

/// With no more than what the specification requires, and a time.
const EVENT: &[u8] = br#"{
    "specversion": "1.0", "id": "42", "source": "/cron", "type": "order.paid", "time": "2026-01-02T04:04:05+01:00",
    "data": {"note": "by hand", "order": 42}
}"#;

async fn is_handled(mut node: Theirs) {
    let expected = Heard {
        event: OrderPaid { order: 42, note: "by hand".into() },
        id: "42".into(),
        source: remote("/cron"),
        // 2026-01-02T03:04:05Z
        time: SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_323_045),
        correlation: "42".into(),
        traceparent: None,
    };
    assert_eq!(node.next().await, expected);
}

#[tokio::test]
async fn t09_a_cloudevent_written_by_hand_is_handled_over_redis() {
    let server = RedisServer::start().await;
    let transport = oyez::RedisTransport::connect(server.url(), PREFIX).await.expect("the server runs");
    let node = Theirs::on(transport).await;
    let answer = server.command(&[b"PUBLISH", PREFIX.as_bytes(), EVENT]).await;
    assert_eq!(answer, ":1\r\n", "one node listens");
    is_handled(node).await;
}

#[tokio::test]
async fn t09_a_cloudevent_written_by_hand_is_handled_over_nats() {
    let server = NatsServer::start().await;
    let transport = oyez::NatsTransport::connect(server.url(), PREFIX).await.expect("the server runs");
    let node = Theirs::on(transport).await;
    nats_publish(server.port(), &format!("{PREFIX}.order.paid"), EVENT).await;
    is_handled(node).await;
}
