//! What the server is sent, as somebody sees it who hears everything.

use async_nats::{Client, Message, Subscriber};
use futures_util::StreamExt;
use oyez_bus::transport::Received;
use oyez_conformance::server::nats::NatsServer;
use oyez_transport_nats::NatsTransport;

use crate::node::Node;

struct Spy {
    client: Client,
    heard: Subscriber,
}

impl Spy {
    async fn on(server: &NatsServer) -> Self {
        let client = async_nats::connect(server.url()).await.unwrap();
        let heard = client.subscribe(">").await.unwrap();
        let mut spy = Self { client, heard };
        spy.so_far().await;
        spy
    }

    /// Everything up to now, without hellos.
    async fn so_far(&mut self) -> Vec<Message> {
        let marker = self.client.new_inbox();
        self.client.publish(marker.clone(), "".into()).await.unwrap();
        let mut messages = Vec::new();
        loop {
            let message = self.heard.next().await.unwrap();
            if *message.subject == *marker {
                return messages;
            }
            if !message.subject.contains(".%hello.") {
                messages.push(message);
            }
        }
    }
}

#[tokio::test]
async fn c22_nothing_illegal_is_sent_and_every_name_arrives() {
    let server = NatsServer::start().await;
    let mut spy = Spy::on(&server).await;
    let mut node = Node::join(&server.url(), "app").await;
    let names = [
        ("test.one two", "app.test.one%20two"),
        ("billing..eu", "app.billing.%.eu"),
        (".x", "app.%.x"),
        ("x.", "app.x.%"),
        ("", "app.%"),
        ("a.*", "app.a.%2A"),
        ("a.>", "app.a.%3E"),
        ("x\r\nPUB y 0\r\n", "app.x%0D%0APUB%20y%200%0D%0A"),
        ("\t", "app.%09"),
        ("\0", "app.%00"),
        ("100%", "app.100%25"),
        ("a\u{a0}b\u{2003}c\u{85}", "app.a%C2%A0b%E2%80%83c%C2%85"),
        ("%hello.1", "app.%25hello.1"),
        ("$SYS.x", "app.$SYS.x"),
        ("billing:eu", "app.billing:eu"),
        ("événement.créé", "app.événement.créé"),
        ("расчёт.🦀", "app.расчёт.🦀"),
    ];
    for (name, subject) in names {
        node.publish(name, name).await.unwrap();
        let expected = Received::Frame { channel: subject.into(), payload: name.to_owned().into() };
        assert_eq!(node.next().await, Some(expected), "{name:?}");
    }
    let messages = spy.so_far().await;
    let subjects: Vec<_> = messages.iter().map(|message| message.subject.as_str()).collect();
    assert_eq!(subjects, names.map(|(_, subject)| subject));
    assert!(messages.iter().all(|message| message.reply.is_none()));
}

#[tokio::test]
async fn t10_prefixes_are_one_token_and_do_not_hear_each_other() {
    let server = NatsServer::start().await;
    let mut spy = Spy::on(&server).await;
    let prefixes = ["app", "app1", "app.x", "app[1]:", "app1:", "*", ">", "a b", "%2A", "$SYS", "é", "\r\n"];
    let mut nodes = Vec::new();
    for prefix in prefixes {
        nodes.push(Node::join(&server.url(), prefix).await);
    }
    for (node, prefix) in nodes.iter().zip(prefixes) {
        node.publish("x.tick", prefix).await.unwrap();
    }
    for (node, prefix) in nodes.iter_mut().zip(prefixes) {
        assert_eq!(node.payload().await, prefix);
        // A later one proves that nothing else came.
        node.publish("x.tick", "marker").await.unwrap();
        assert_eq!(node.payload().await, "marker");
    }
    let messages = spy.so_far().await;
    assert_eq!(messages.len(), 2 * prefixes.len());
    assert!(messages.iter().all(|message| message.subject.split('.').count() == 3));
}

#[tokio::test]
async fn t10_a_prefix_must_be_one() {
    for prefix in ["", &"x".repeat(256)] {
        let error = NatsTransport::connect("nats://127.0.0.1:1", prefix).await.unwrap_err();
        assert_eq!(error.kind(), oyez_bus::transport::TransportErrorKind::Config);
    }
    let server = NatsServer::start().await;
    // The longest line: three bytes for each of both, in a subject.
    let mut node = Node::join(&server.url(), &".".repeat(255)).await;
    let name = "%".repeat(255);
    node.publish(&name, "1").await.unwrap();
    assert_eq!(node.payload().await, "1");
}
