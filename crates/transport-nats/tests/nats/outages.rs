//! Connections go and come back.

use std::time::{Duration, Instant};

use futures_util::FutureExt;
use oyez_bus::transport::{Received, Transport, TransportErrorKind};
use oyez_conformance::proxy::Proxy;
use oyez_conformance::server::nats::NatsServer;
use oyez_transport_nats::NatsTransport;

use crate::node::{LIMIT, Node, eventually, numbered, once_each};

#[tokio::test(flavor = "multi_thread")]
async fn t05_each_event_is_handled_once_after_five_kills() {
    let mut server = NatsServer::start().await;
    let (mut sender, mut receiver) = (Node::join(&server.url(), "app").await, Node::join(&server.url(), "app").await);
    for n in 0..5 {
        server.kill();
        sender.wait_for(Received::Down).await;
        receiver.wait_for(Received::Down).await;
        server.restart().await;
        sender.wait_for(Received::Up).await;
        receiver.wait_for(Received::Up).await;
        let n = n.to_string();
        sender.publish("tick", &n).await.unwrap();
        assert_eq!(receiver.until(&n).await, (vec![n], 0));
    }
    assert_eq!(server.connections().await, 2);
    assert_eq!(server.subscriptions().await, ["app.>", "app.>"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn t05_a_batch_is_repeated_until_the_server_is_back() {
    let mut server = NatsServer::start().await;
    let (sender, mut receiver) = (Node::join(&server.url(), "app").await, Node::join(&server.url(), "app").await);
    sender.publish("tick", "before").await.unwrap();
    receiver.until("before").await;
    server.kill();
    receiver.wait_for(Received::Down).await;
    // As the link does it.
    let frames = numbered(1000);
    let sending = async {
        while let Err(error) = sender.transport.publish(&frames).await {
            assert!(error.is_retryable(), "{error:?}");
        }
    };
    let coming_back = async {
        // One call has begun and waits.
        tokio::task::yield_now().await;
        server.restart().await;
        receiver.wait_for(Received::Up).await;
    };
    tokio::join!(sending, coming_back);
    // What the receiver's own reconnect came too late for is repeated.
    sender.transport.publish(&frames).await.unwrap();
    let (heard, _) = receiver.until("999").await;
    let mut heard = once_each(heard);
    if heard.len() < 1000 {
        heard = once_each(heard.into_iter().chain(receiver.until("999").await.0).collect());
    }
    assert_eq!(heard.len(), 1000);
}

#[tokio::test]
async fn t02_without_a_server_a_publish_fails_within_seconds() {
    let mut server = NatsServer::start().await;
    let mut node = Node::join(&server.url(), "app").await;
    server.kill();
    node.wait_for(Received::Down).await;
    let begun = Instant::now();
    let error = node.publish("tick", "1").await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Unreachable);
    assert!(error.is_retryable());
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn c16_a_connection_that_swallows_everything_is_noticed_and_replaced() {
    let server = NatsServer::start().await;
    let proxy = Proxy::start(server.port()).await;
    let silence = Duration::from_secs(1);
    let url = format!("nats://127.0.0.1:{}", proxy.port());
    let transport = NatsTransport::builder(url, "app").silence(silence).connect().await.unwrap();
    let (mut cut_off, other) = (Node::with(transport).await, Node::join(&server.url(), "app").await);
    proxy.blackhole();
    let begun = Instant::now();
    cut_off.wait_for(Received::Down).await;
    // A busy machine is given two seconds.
    assert!(begun.elapsed() < silence + Duration::from_secs(2), "{:?}", begun.elapsed());
    proxy.heal();
    cut_off.wait_for(Received::Up).await;
    for n in 0..100 {
        other.publish("tick", &n.to_string()).await.unwrap();
    }
    let (heard, downs) = cut_off.until("99").await;
    assert_eq!((heard.len(), downs), (100, 0));
}

#[tokio::test]
async fn t06_a_frozen_server_is_noticed_and_a_publish_does_not_hang() {
    let server = NatsServer::start().await;
    let silence = Duration::from_secs(1);
    let transport = NatsTransport::builder(server.url(), "app").silence(silence).connect().await.unwrap();
    let mut node = Node::with(transport).await;
    server.stop();
    let frames = numbered(500_000);
    let failed = tokio::time::timeout(LIMIT, node.transport.publish(&frames)).await.expect("it does not hang");
    assert!(failed.unwrap_err().is_retryable());
    node.wait_for(Received::Down).await;
    server.cont();
    node.wait_for(Received::Up).await;
    node.publish("tick", "after").await.unwrap();
    node.until("after").await;
}

#[tokio::test]
async fn c18_a_connection_that_is_cut_again_and_again_leaves_one_subscription() {
    let server = NatsServer::start().await;
    let proxy = Proxy::start(server.port()).await;
    let mut node = Node::join(&format!("nats://127.0.0.1:{}", proxy.port()), "app").await;
    for _ in 0..5 {
        proxy.cut();
        node.wait_for(Received::Down).await;
        // Once more as soon as the next connection is there, whether or not the subscription is proven.
        eventually(async || proxy.connections() == 1).await;
        proxy.cut();
        node.wait_for(Received::Up).await;
        if let Some(Some(received)) = node.next().now_or_never() {
            assert_eq!(received, Received::Down);
            node.wait_for(Received::Up).await;
        }
    }
    node.publish("tick", "1").await.unwrap();
    let (heard, _) = node.until("1").await;
    assert_eq!(heard, ["1"]);
    eventually(async || server.connections().await == 1).await;
    assert_eq!(server.subscriptions().await, ["app.>"]);
}

/// The client's parser takes a subject that is no UTF-8 for the end of the connection.
#[tokio::test]
async fn t09_a_foreign_subject_that_is_no_text_costs_a_reconnect_and_no_more() {
    let server = NatsServer::start().await;
    let mut node = Node::join(&server.url(), "app").await;
    foreign(server.port(), b"PUB app.\xff\xfe 2\r\nhi\r\n").await;
    node.wait_for(Received::Down).await;
    node.wait_for(Received::Up).await;
    node.publish("tick", "1").await.unwrap();
    assert_eq!(node.payload().await, "1");
}

/// Sends bytes of the protocol, and waits until the server has taken them.
async fn foreign(port: u16, bytes: &[u8]) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut socket = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    socket.write_all(b"CONNECT {\"verbose\":false}\r\n").await.unwrap();
    socket.write_all(bytes).await.unwrap();
    socket.write_all(b"PING\r\n").await.unwrap();
    let mut heard = Vec::new();
    while !heard.windows(4).any(|window| window == b"PONG") {
        let mut buffer = [0; 4096];
        let read = socket.read(&mut buffer).await.unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&heard));
        heard.extend_from_slice(&buffer[..read]);
    }
}
