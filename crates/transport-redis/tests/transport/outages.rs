//! Outages are noticed, reported once, and end by themselves (promises T5 and T6).

use std::time::{Duration, Instant};

use oyez_bus::transport::{Received, Transport};
use oyez_conformance::proxy::Proxy;
use oyez_conformance::server::redis::RedisServer;
use oyez_transport_redis::RedisTransport;

use super::{PREFIX, clients, connected, eventually, frame, next, payload, publish, quiet_for_ten_pings, subscribers};

#[tokio::test]
async fn c15_a_killed_connection_and_a_server_that_is_away_come_back() {
    let mut server = RedisServer::start().await;
    let (sender, receiver) = (connected(&server).await, connected(&server).await);
    let mut incoming = receiver.subscribe().await.expect("a subscription");

    server.command(&["CLIENT", "KILL", "TYPE", "pubsub"]).await;
    assert_eq!(next(&mut incoming).await, Received::Down);
    assert_eq!(next(&mut incoming).await, Received::Up);

    server.kill();
    assert_eq!(next(&mut incoming).await, Received::Down);
    let started = Instant::now();
    let error = sender.publish(&[frame("lost")]).await.expect_err("nobody is there");
    assert!(error.is_retryable(), "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    server.restart().await;
    assert_eq!(next(&mut incoming).await, Received::Up);

    for number in 0..30 {
        publish(&sender, &format!("{number}")).await;
    }
    for number in 0..30 {
        assert_eq!(payload(&mut incoming).await, format!("{number}"));
    }
    assert_eq!(subscribers(&server).await, ":1");
}

#[tokio::test]
async fn c16_a_connection_whose_packets_vanish_is_noticed_and_replaced() {
    let server = RedisServer::start().await;
    let proxy = Proxy::start(server.port()).await;
    let silence = Duration::from_secs(1);
    let builder = RedisTransport::builder(format!("redis://127.0.0.1:{}/", proxy.port()), PREFIX);
    let receiver = builder.silence(silence).connect().await.expect("a connection");
    let sender = connected(&server).await;
    let mut incoming = receiver.subscribe().await.expect("a subscription");
    sender.publish(&[frame("before")]).await.expect("published");
    assert_eq!(payload(&mut incoming).await, "before");

    proxy.blackhole();
    let started = Instant::now();
    assert_eq!(next(&mut incoming).await, Received::Down);
    let noticed = started.elapsed();
    assert!(noticed < silence * 2, "{noticed:?}");
    let error = receiver.publish(&[frame("lost")]).await.expect_err("nothing answers");
    assert!(error.is_retryable(), "{error:?}");

    // The old sockets stay black holes.
    proxy.heal();
    assert_eq!(next(&mut incoming).await, Received::Up);
    sender.publish(&[frame("after")]).await.expect("published");
    publish(&receiver, "from here too").await;
    assert_eq!(payload(&mut incoming).await, "after");
    assert_eq!(payload(&mut incoming).await, "from here too");
}

#[tokio::test]
async fn t06_a_frozen_server_is_noticed_and_comes_back() {
    let server = RedisServer::start().await;
    let builder = RedisTransport::builder(server.url(), PREFIX).silence(Duration::from_millis(600));
    let transport = builder.connect().await.expect("a connection");
    let mut incoming = transport.subscribe().await.expect("a subscription");
    server.stop();
    assert_eq!(next(&mut incoming).await, Received::Down);
    server.cont();
    assert_eq!(next(&mut incoming).await, Received::Up);
    publish(&transport, "1").await;
    assert_eq!(payload(&mut incoming).await, "1");
    eventually("the old subscription is gone", || async { subscribers(&server).await == ":1" }).await;
}

#[tokio::test]
async fn t06_a_quiet_connection_that_answers_is_left_alone() {
    let server = RedisServer::start().await;
    let silence = Duration::from_millis(200);
    let builder = RedisTransport::builder(server.url(), PREFIX).silence(silence);
    let transport = builder.connect().await.expect("a connection");
    let mut incoming = transport.subscribe().await.expect("a subscription");
    quiet_for_ten_pings(&mut incoming, &server, "calls").await;
    publish(&transport, "1").await;
    assert_eq!(payload(&mut incoming).await, "1");
}

#[tokio::test]
async fn t06_a_long_message_on_a_slow_line_is_no_silence() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let silence = Duration::from_secs(1);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("redis://{}/", listener.local_addr().expect("an address"));
    // A server that answers what a subscription asks, and then takes many bounds of silence for one message.
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.expect("a connection");
            tokio::spawn(async move {
                let mut asked = [0; 1024];
                while let Ok(1..) = socket.read(&mut asked).await {
                    let subscribed = asked.windows(9).any(|bytes| bytes == b"SUBSCRIBE");
                    socket.write_all(b"+PONG\r\n").await.expect("written");
                    if subscribed {
                        socket.write_all(b"*3\r\n$7\r\nmessage\r\n$4\r\nshop\r\n$16\r\n").await.expect("written");
                        for _ in 0..16 {
                            tokio::time::sleep(silence / 8).await;
                            socket.write_all(b"x").await.expect("written");
                        }
                        socket.write_all(b"\r\n").await.expect("written");
                        std::future::pending::<()>().await;
                    }
                    asked = [0; 1024];
                }
            });
        }
    });
    let transport = RedisTransport::builder(url, PREFIX).silence(silence).connect().await.expect("a connection");
    let mut incoming = transport.subscribe().await.expect("a subscription");
    assert_eq!(payload(&mut incoming).await, "xxxxxxxxxxxxxxxx");
}

#[tokio::test]
async fn c18_after_five_kills_there_is_one_subscription_and_each_frame_comes_once() {
    let server = RedisServer::start().await;
    let proxy = Proxy::start(server.port()).await;
    let url = format!("redis://127.0.0.1:{}/", proxy.port());
    let transport = RedisTransport::connect(url, PREFIX).await.expect("a connection");
    let mut incoming = transport.subscribe().await.expect("a subscription");
    publish(&transport, "before").await;
    assert_eq!(payload(&mut incoming).await, "before");
    let before = clients(&server).await;
    for _ in 0..5 {
        server.command(&["CLIENT", "KILL", "TYPE", "pubsub"]).await;
        assert_eq!(next(&mut incoming).await, Received::Down);
        // Once more while it comes back.
        proxy.cut();
        assert_eq!(next(&mut incoming).await, Received::Up);
    }
    publish(&transport, "after").await;
    publish(&transport, "marker").await;
    assert_eq!(payload(&mut incoming).await, "after");
    assert_eq!(payload(&mut incoming).await, "marker");
    assert_eq!(subscribers(&server).await, ":1");
    eventually("as many connections as before", || async { clients(&server).await == before }).await;
}

#[tokio::test]
async fn t05_credentials_that_are_refused_during_an_outage_are_tried_again() {
    let server = RedisServer::start().await;
    server.command(&["ACL", "SETUSER", "app", "on", ">pass", "+@all", "&*"]).await;
    let url = server.url().replace("redis://", "redis://app:pass@");
    let transport = RedisTransport::connect(url, PREFIX).await.expect("a connection");
    let mut incoming = transport.subscribe().await.expect("a subscription");

    server.command(&["ACL", "SETUSER", "app", "off"]).await;
    server.command(&["CLIENT", "KILL", "TYPE", "pubsub"]).await;
    assert_eq!(next(&mut incoming).await, Received::Down);
    tokio::select! {
        received = next(&mut incoming) => panic!("{received:?} without the right to log in"),
        () = eventually("a login is refused", || async { server.command(&["ACL", "LOG"]).await.contains("auth") }) => {}
    }
    server.command(&["ACL", "SETUSER", "app", "on"]).await;
    assert_eq!(next(&mut incoming).await, Received::Up);
    publish(&transport, "1").await;
    assert_eq!(payload(&mut incoming).await, "1");
}
