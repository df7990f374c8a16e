//! Frames arrive, from the moment that a subscription is confirmed.

use futures_util::StreamExt;
use oyez_bus::transport::{Frame, Received, Transport, TransportErrorKind};
use oyez_conformance::server::nats::NatsServer;
use oyez_transport_nats::NatsTransport;

use crate::node::{Node, frame, meet, numbered};

#[tokio::test(flavor = "multi_thread")]
async fn c25_what_is_published_right_after_a_subscription_arrives_a_thousand_times() {
    let server = NatsServer::start().await;
    let sender = Node::join(&server.url(), "app").await;
    for n in 0..1000 {
        let transport = NatsTransport::connect(server.url(), "app").await.unwrap();
        let mut receiver = Node::with(transport).await;
        let n = n.to_string();
        sender.publish("tick", &n).await.unwrap();
        assert_eq!(receiver.payload().await, n);
    }
}

#[tokio::test]
async fn t01_a_node_on_a_runtime_of_one_thread_hears_itself_and_others() {
    let server = NatsServer::start().await;
    let mut nodes = [Node::join(&server.url(), "app").await, Node::join(&server.url(), "app").await];
    nodes[0].publish("order.paid", "{}").await.unwrap();
    for node in &mut nodes {
        let expected = Received::Frame { channel: "app.order.paid".into(), payload: "{}".into() };
        assert_eq!(node.next().await, Some(expected));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn t05_frames_keep_their_order_and_hellos_of_others_are_not_heard() {
    let server = NatsServer::start().await;
    let (sender, mut receiver) = (Node::join(&server.url(), "app").await, Node::join(&server.url(), "app").await);
    let frames = numbered(20_000);
    for batch in frames.chunks(512) {
        sender.transport.publish(batch).await.unwrap();
        drop(Node::join(&server.url(), "app").await);
    }
    for n in 0..20_000 {
        let expected = Received::Frame { channel: "app.tick".into(), payload: n.to_string().into() };
        assert_eq!(receiver.next().await, Some(expected));
    }
}

#[tokio::test]
async fn t08_what_just_fits_arrives_and_one_byte_more_is_too_large() {
    let server = NatsServer::start_configured("max_payload: 4096").await;
    assert_eq!(Node::join(&server.url(), "app").await.transport.properties().max_payload, 4096);
    let typed = NatsTransport::builder(server.url(), "app").with_content_type().connect().await.unwrap();
    let mut node = Node::with(typed).await;
    let largest = node.transport.properties().max_payload;
    // "NATS/1.0", and one header, each with a line break, and an empty line.
    assert_eq!(largest, 4096 - 10 - 44 - 2);
    let of = |size: usize| frame("blob", &"x".repeat(size));
    let error = node.transport.publish(&[of(largest + 1)]).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::TooLarge);
    assert!(!error.is_retryable());
    node.transport.publish(&[of(largest), frame("small", "after")]).await.unwrap();
    assert_eq!(node.until("after").await, (vec!["x".repeat(largest), "after".to_owned()], 0));
}

#[tokio::test]
async fn t08_the_limit_is_that_of_the_server_now() {
    let mut server = NatsServer::start_configured("max_payload: 4096").await;
    let mut node = Node::join(&server.url(), "app").await;
    let before = node.transport.properties().max_payload;
    server.configure("max_payload: 8192");
    server.restart().await;
    node.wait_for(Received::Up).await;
    assert_eq!(node.transport.properties().max_payload, before + 4096);
}

#[tokio::test]
async fn frames_say_that_they_are_cloud_events_if_told_to_and_are_heard_either_way() {
    let server = NatsServer::start().await;
    let mut node = Node::join(&server.url(), "app").await;
    let spy = async_nats::connect(server.url()).await.unwrap();
    let mut heard = spy.subscribe("app.tick").await.unwrap();
    // The spy's subscription is confirmed by its own message.
    spy.publish("app.tick", "".into()).await.unwrap();
    heard.next().await.unwrap();
    assert_eq!(node.payload().await, "");
    Node::join(&server.url(), "app").await.publish_and_close("tick").await;
    assert!(heard.next().await.unwrap().headers.is_none());
    let plain = node.payload().await;

    let typed = NatsTransport::builder(server.url(), "app").with_content_type().connect().await.unwrap();
    Node::with(typed).await.publish_and_close("tick").await;
    let headers = heard.next().await.unwrap().headers.unwrap();
    assert_eq!(headers.len(), 1);
    assert_eq!(headers.get("content-type").unwrap().as_str(), "application/cloudevents+json");
    assert_eq!(node.payload().await, plain);
}

#[tokio::test]
async fn c20_any_bytes_arrive_as_they_are() {
    let server = NatsServer::start().await;
    let (mut node, foreign) =
        (Node::join(&server.url(), "app").await, async_nats::connect(server.url()).await.unwrap());
    let payloads: [&'static [u8]; 3] = [b"", b"\xff\xfe\0", b"\r\nPUB y 0\r\n\r\n"];
    for payload in payloads {
        node.transport.publish(&[Frame::new("x", payload)]).await.unwrap();
        foreign.publish("app.x", payload.into()).await.unwrap();
        for _ in 0..2 {
            let expected = Received::Frame { channel: "app.x".into(), payload: payload.into() };
            assert_eq!(node.next().await, Some(expected));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn t12_a_node_that_does_not_read_loses_frames_and_not_its_connection() {
    let server = NatsServer::start().await;
    let (sender, mut slow) = (Node::join(&server.url(), "app").await, Node::join(&server.url(), "app").await);
    let frames = numbered(200_000);
    let mut fast = Node::join(&server.url(), "app").await;
    // In step with a node that reads, so that the server itself drops nobody.
    for batch in frames.chunks(1000) {
        sender.transport.publish(batch).await.unwrap();
        for _ in batch {
            fast.payload().await;
        }
    }
    let (heard, downs) = meet(&sender, &mut slow, "last").await;
    assert_eq!(heard[0], "0");
    assert!(heard.len() < 200_000, "{}", heard.len());
    assert_eq!(downs, 0);
}
