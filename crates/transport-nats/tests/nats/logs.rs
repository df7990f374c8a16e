//! What is logged, at every level.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use oyez_bus::transport::{Received, Transport};
use oyez_conformance::server::nats::NatsServer;
use oyez_conformance::server::process::free_port;
use oyez_transport_nats::NatsTransport;
use tracing_subscriber::filter::LevelFilter;

use crate::node::{Node, eventually, meet, numbered};

#[derive(Clone, Default)]
struct Logged(Arc<Mutex<Vec<u8>>>);

impl Logged {
    /// Each test has a process of its own under nextest.
    fn begin() -> Self {
        let logged = Self::default();
        let writer = logged.clone();
        let subscriber = tracing_subscriber::fmt().with_max_level(LevelFilter::TRACE).with_ansi(false);
        tracing::subscriber::set_global_default(subscriber.with_writer(move || writer.clone()).finish()).unwrap();
        logged
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Logged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn t13_no_secret_is_logged_and_a_refused_login_is() {
    let logged = Logged::begin();
    let config = |password| format!("authorization {{ users = [{{ user: shop, password: {password} }}] }}");
    let mut server = NatsServer::start_configured(&config("right-S3NTINEL")).await;
    let url = |password, port| format!("nats://shop:{password}@127.0.0.1:{port}");
    for (password, port) in [("wrong-S3NTINEL", server.port()), ("right-S3NTINEL", free_port().await)] {
        NatsTransport::connect(url(password, port), "app").await.unwrap_err();
    }
    NatsTransport::connect("nats://shop:S3NTINEL@127.0.0.1:x", "app").await.unwrap_err();
    let mut node = Node::join(&url("right-S3NTINEL", server.port()), "app").await;
    node.publish("tick", "payload-S3NTINEL").await.unwrap();
    node.until("payload-S3NTINEL").await;

    server.configure(&config("changed"));
    server.restart().await;
    node.wait_for(Received::Down).await;
    let says_why = async || {
        _ = futures_util::FutureExt::now_or_never(node.next());
        logged.text().contains("trouble with the NATS server")
    };
    eventually(says_why).await;
    let text = logged.text();
    assert!(!text.contains("S3NTINEL"), "{text}");
    // As Debug writes bytes.
    assert!(!text.contains("83, 51, 78, 84, 73"), "{text}");
}

#[tokio::test]
async fn t12_what_a_node_does_not_read_is_not_logged_for_each() {
    let logged = Logged::begin();
    let server = NatsServer::start().await;
    let (sender, mut slow) = (Node::join(&server.url(), "app").await, Node::join(&server.url(), "app").await);
    for _ in 0..200 {
        sender.transport.publish(&numbered(500)).await.unwrap();
    }
    let (heard, _) = meet(&sender, &mut slow, "last").await;
    assert!(heard.len() < 100_000, "{}", heard.len());
    assert!(logged.text().lines().count() < 10, "{}", logged.text());
}
