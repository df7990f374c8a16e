//! The end of a transport.

use std::time::{Duration, Instant};

use oyez_bus::transport::{Received, Transport, TransportErrorKind};
use oyez_conformance::proxy::Proxy;
use oyez_conformance::server::nats::NatsServer;

use crate::node::{LIMIT, Node, eventually, numbered};

#[tokio::test(flavor = "multi_thread")]
async fn c24_what_was_published_before_a_close_arrives() {
    let server = NatsServer::start().await;
    let mut receiver = Node::join(&server.url(), "app").await;
    let frames = numbered(10_000);
    for _ in 0..20 {
        let sender = Node::join(&server.url(), "app").await;
        sender.transport.publish(&frames).await.unwrap();
        sender.transport.close(LIMIT).await.unwrap();
        drop(sender);
        let (heard, downs) = receiver.until("9999").await;
        assert_eq!((heard.len(), downs), (10_000, 0));
    }
    eventually(async || server.connections().await == 1).await;
}

#[tokio::test]
async fn t11_a_closed_transport_is_closed() {
    let server = NatsServer::start().await;
    let mut node = Node::join(&server.url(), "app").await;
    node.publish("tick", "last").await.unwrap();
    node.transport.close(LIMIT).await.unwrap();
    assert_eq!(node.until("last").await.0, ["last"]);
    assert_eq!(node.next().await, None);
    let error = node.publish("tick", "late").await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Closed);
    assert!(!error.is_retryable());
    eventually(async || server.connections().await == 0).await;
}

#[tokio::test]
async fn t11_a_close_without_an_answer_ends_at_its_deadline() {
    let mut server = NatsServer::start().await;
    let proxy = Proxy::start(server.port()).await;
    let mut cut_off = Node::join(&format!("nats://127.0.0.1:{}", proxy.port()), "app").await;
    let mut gone = Node::join(&server.url(), "app").await;
    let deadline = Duration::from_millis(200);
    proxy.blackhole();
    let begun = Instant::now();
    cut_off.publish("tick", "1").await.unwrap();
    assert_eq!(cut_off.transport.close(deadline).await.unwrap_err().kind(), TransportErrorKind::TimedOut);
    assert_eq!(cut_off.next().await, None);
    server.kill();
    gone.wait_for(Received::Down).await;
    assert_eq!(gone.transport.close(deadline).await.unwrap_err().kind(), TransportErrorKind::TimedOut);
    assert_eq!(gone.next().await, None);
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn t11_the_thread_ends_with_the_transport_with_a_server_or_without() {
    let mut server = NatsServer::start().await;
    let (node, mut without) = (Node::join(&server.url(), "app").await, Node::join(&server.url(), "app").await);
    assert_eq!(threads(), 2);
    drop(node);
    eventually(async || threads() == 1).await;
    eventually(async || server.connections().await == 1).await;
    server.kill();
    without.wait_for(Received::Down).await;
    let Node { transport, mut incoming } = without;
    drop(transport);
    while futures_util::StreamExt::next(&mut incoming).await.is_some() {}
    eventually(async || threads() == 0).await;
}

/// How many of this process's threads run a client. Each test has a process of its own under nextest.
#[cfg(target_os = "linux")]
fn threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.trim_end() == "oyez-nats").count()
}
