//! What is published arrives, and the end.

use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use oyez_bus::transport::{Frame, Received, Transport, TransportErrorKind};
use oyez_conformance::server::redis::RedisServer;
use oyez_transport_redis::RedisTransport;

use super::{PREFIX, clients, connected, eventually, frame, next, payload, subscribers};

#[tokio::test]
async fn t01_what_is_published_after_subscribing_arrives() {
    let server = RedisServer::start().await;
    let sender = connected(&server).await;
    for round in 0..200 {
        let receiver = connected(&server).await;
        let mut incoming = receiver.subscribe().await.expect("a subscription");
        sender.publish(&[frame(format!("{round}"))]).await.expect("published");
        assert_eq!(payload(&mut incoming).await, format!("{round}"));
    }
}

#[tokio::test]
async fn t04_bytes_arrive_exactly_in_their_order() {
    let server = RedisServer::start().await;
    let (sender, receiver) = (connected(&server).await, connected(&server).await);
    let mut incoming = receiver.subscribe().await.expect("a subscription");
    let payloads: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"\r\n$1\r\n".to_vec(),
        vec![0xff, 0xfe, 0],
        (0..1024 * 1024).map(|byte: u32| byte.to_le_bytes()[0]).collect(),
        b"last".to_vec(),
    ];
    let frames: Vec<_> = payloads.iter().cloned().map(frame).collect();
    sender.publish(&frames).await.expect("published");
    for sent in payloads {
        let Received::Frame { channel, payload } = next(&mut incoming).await else { panic!("no frame") };
        assert_eq!(&*channel, PREFIX);
        assert!(payload == sent, "{} bytes came as {}", sent.len(), payload.len());
    }
}

#[tokio::test]
async fn t04_batches_arrive_whole_and_in_order() {
    let server = RedisServer::start().await;
    let (sender, receiver) = (connected(&server).await, connected(&server).await);
    let mut incoming = receiver.subscribe().await.expect("a subscription");
    let frames: Vec<_> = (0..20_000).map(|number| frame(format!("{number:0300}"))).collect();
    let publishing = async {
        for batch in frames.chunks(512) {
            sender.publish(batch).await.expect("published");
        }
    };
    let receiving = async {
        for sent in &frames {
            assert_eq!(payload(&mut incoming).await, sent.payload());
        }
    };
    tokio::join!(publishing, receiving);
    sender.publish(&[]).await.expect("an empty batch");
}

#[tokio::test]
async fn t08_too_large_a_frame_is_refused_and_the_next_one_arrives() {
    let server = RedisServer::start().await;
    let transport =
        RedisTransport::builder(server.url(), PREFIX).max_payload(10).connect().await.expect("a connection");
    assert_eq!(transport.properties().max_payload, 10);
    let mut incoming = transport.subscribe().await.expect("a subscription");
    let error = transport.publish(&[frame("12345678901")]).await.expect_err("too large");
    assert_eq!((error.kind(), error.is_retryable()), (TransportErrorKind::TooLarge, false));
    transport.publish(&[frame("1234567890")]).await.expect("published");
    assert_eq!(payload(&mut incoming).await, "1234567890");
}

#[tokio::test]
async fn t08_a_frame_larger_than_the_server_takes_is_not_tried_for_ever() {
    let server = RedisServer::start_with(&["--proto-max-bulk-len", "1mb"]).await;
    let builder = RedisTransport::builder(server.url(), PREFIX).max_payload(64 * 1024 * 1024);
    let transport = builder.connect().await.expect("a connection");
    let mut incoming = transport.subscribe().await.expect("a subscription");
    for size in [1024 * 1024 + 1, 32 * 1024 * 1024] {
        let error = transport.publish(&[frame(vec![b'x'; size])]).await.expect_err("too large");
        assert_eq!(error.kind(), TransportErrorKind::TooLarge, "{error:?}");
        transport.publish(&[frame("small")]).await.expect("published");
        assert_eq!(payload(&mut incoming).await, "small");
    }
}

#[tokio::test]
async fn t10_the_prefix_is_literal() {
    let server = RedisServer::start().await;
    let prefixes = ["app[1]:", "app*", "app?", "a b\r\nPING\r\n", "événement"];
    let mut listening = Vec::new();
    for prefix in prefixes {
        let transport = RedisTransport::connect(server.url(), prefix).await.expect("a connection");
        let incoming = transport.subscribe().await.expect("a subscription");
        listening.push((transport, incoming));
    }
    for other in ["app1:", "appx", "app", "a b", "évènement"] {
        assert_eq!(server.command(&["PUBLISH", other, "other"]).await, ":0\r\n", "{other}");
    }
    for (transport, incoming) in &mut listening {
        let prefix = transport.properties().prefix.to_owned();
        transport.publish(&[frame(prefix.clone())]).await.expect("published");
        assert_eq!(next(incoming).await, Received::Frame { channel: prefix.clone().into(), payload: prefix.into() });
    }
}

#[tokio::test]
async fn t09_foreign_bytes_are_frames_like_others() {
    let server = RedisServer::start().await;
    let transport = connected(&server).await;
    let mut incoming = transport.subscribe().await.expect("a subscription");
    for foreign in [&b""[..], b"not-json", &[0xff, 0xfe, 0], b"*3\r\n$7\r\nmessage\r\n"] {
        server.command(&[b"PUBLISH", PREFIX.as_bytes(), foreign]).await;
        assert_eq!(payload(&mut incoming).await, foreign);
    }
}

#[tokio::test]
async fn t11_close_ends_both_connections_and_the_stream() {
    let server = RedisServer::start().await;
    let transport = connected(&server).await;
    let mut incoming = transport.subscribe().await.expect("a subscription");
    transport.publish(&[frame("1")]).await.expect("published");
    assert_eq!(payload(&mut incoming).await, "1");
    assert_eq!(clients(&server).await, 2);
    transport.close(Duration::from_secs(5)).await.expect("closed");
    assert_eq!(incoming.next().await, None);
    eventually("no connection is left", || async { clients(&server).await == 0 }).await;
    let error = transport.publish(&[frame("2")]).await.expect_err("closed");
    assert_eq!((error.kind(), error.is_retryable()), (TransportErrorKind::Closed, false));
    assert!(transport.close(Duration::ZERO).await.is_ok(), "closing twice");
}

#[tokio::test]
async fn t11_close_does_not_wait_longer_than_its_deadline() {
    let server = RedisServer::start().await;
    let transport = connected(&server).await;
    let frames = [frame("1")];
    let mut publishing = transport.publish(&frames);
    assert!((&mut publishing).now_or_never().is_none());
    server.stop();
    let error = transport.close(Duration::from_millis(200)).await.expect_err("the publish is not answered");
    assert_eq!(error.kind(), TransportErrorKind::TimedOut);
    assert_eq!(publishing.await.expect_err("closed").kind(), TransportErrorKind::Closed);
}

#[tokio::test]
async fn t11_dropping_the_transport_ends_its_connections() {
    let server = RedisServer::start().await;
    let transport = connected(&server).await;
    let mut incoming = transport.subscribe().await.expect("a subscription");
    drop(transport);
    assert_eq!(incoming.next().await, None);
    eventually("no connection is left", || async { clients(&server).await == 0 }).await;
}

#[test]
fn t11_dropping_the_transport_after_its_runtime_is_harmless() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (server, transport, incoming) = runtime.block_on(async {
        let server = RedisServer::start().await;
        let transport = connected(&server).await;
        let incoming = transport.subscribe().await.expect("a subscription");
        (server, transport, incoming)
    });
    drop(runtime);
    drop((transport, incoming, server));
}

#[tokio::test]
async fn a_publish_that_is_dropped_does_not_disturb_the_next() {
    let server = RedisServer::start().await;
    let transport = connected(&server).await;
    let mut incoming = transport.subscribe().await.expect("a subscription");
    let dropped: Vec<Frame> = (0..100).map(|_| frame("dropped")).collect();
    {
        let mut publishing = transport.publish(&dropped);
        assert!((&mut publishing).now_or_never().is_none());
    }
    transport.publish(&[frame("kept")]).await.expect("published");
    while payload(&mut incoming).await != "kept" {}
    assert_eq!(subscribers(&server).await, ":1");
}
