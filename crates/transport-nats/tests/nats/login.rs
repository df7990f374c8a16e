//! Who may connect, and what is said of it.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use oyez_bus::transport::{Transport, TransportError, TransportErrorKind};
use oyez_conformance::proxy::Proxy;
use oyez_conformance::server::nats::NatsServer;
use oyez_conformance::server::process::free_port;
use oyez_transport_nats::{NatsBuilder, NatsTransport};

use crate::node::Node;

/// A pair from the documentation of NATS.
const NKEY: &str = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";
const SEED: &str = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
const OTHER_SEED: &str = "SUAIO3FHUX5PNV2LQIIP7TZ3N4L7TX3W53MQGEIVYFIGA635OZCKEYHFLM";

/// A node gets in and hears itself.
async fn gets_in(builder: NatsBuilder) {
    let mut node = Node::with(builder.connect().await.unwrap()).await;
    node.publish("tick", "in").await.unwrap();
    assert_eq!(node.payload().await, "in");
    assert_silent(&node.transport);
}

/// A node does not get in, and the error keeps its secret.
async fn stays_out(builder: NatsBuilder, kind: TransportErrorKind) {
    assert_silent(&builder);
    let error = builder.connect().await.unwrap_err();
    assert_eq!(error.kind(), kind, "{error:?}");
    assert_no_secret(&error);
}

fn assert_no_secret(error: &TransportError) {
    assert_silent(error);
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        assert!(!error.to_string().contains("S3NTINEL"), "{error}");
        assert_silent(&error);
        cause = error.source();
    }
}

fn assert_silent(value: &(impl Debug + ?Sized)) {
    let text = format!("{value:?} {value:#?}");
    assert!(![SEED, OTHER_SEED, "S3NTINEL"].iter().any(|secret| text.contains(secret)), "{text}");
}

#[tokio::test]
async fn t13_a_token_lets_in_and_a_wrong_one_does_not() {
    let server = NatsServer::start_with(&["--auth", "tok-S3NTINEL"]).await;
    let builder = || NatsTransport::builder(server.url(), "app");
    gets_in(builder().token("tok-S3NTINEL")).await;
    gets_in(NatsTransport::builder(format!("nats://tok%2dS3NTINEL@127.0.0.1:{}", server.port()), "app")).await;
    stays_out(builder().token("wrong-S3NTINEL"), TransportErrorKind::Unauthorized).await;
    stays_out(builder(), TransportErrorKind::Unauthorized).await;
    let wrong = format!("nats://wrong-S3NTINEL@127.0.0.1:{}", server.port());
    stays_out(NatsTransport::builder(wrong.clone(), "app"), TransportErrorKind::Unauthorized).await;
    // What is said comes before what stands in the URL.
    gets_in(NatsTransport::builder(wrong, "app").token("tok-S3NTINEL")).await;
}

#[tokio::test]
async fn t13_a_user_and_a_password_let_in_and_wrong_ones_do_not() {
    let server = NatsServer::start_with(&["--user", "shop", "--pass", "p:S3NTINEL@"]).await;
    let builder = || NatsTransport::builder(server.url(), "app");
    gets_in(builder().user_and_password("shop", "p:S3NTINEL@")).await;
    gets_in(NatsTransport::builder(format!("nats://shop:p%3AS3NTINEL%40@127.0.0.1:{}", server.port()), "app")).await;
    stays_out(builder().user_and_password("shop", "S3NTINEL"), TransportErrorKind::Unauthorized).await;
    stays_out(builder().user_and_password("nobody", "p:S3NTINEL@"), TransportErrorKind::Unauthorized).await;
    stays_out(builder().token("S3NTINEL"), TransportErrorKind::Unauthorized).await;
}

#[tokio::test]
async fn t13_an_nkey_lets_in_and_a_wrong_one_does_not() {
    let server = NatsServer::start_configured(&format!("authorization {{ users = [{{ nkey: {NKEY} }}] }}")).await;
    let builder = || NatsTransport::builder(server.url(), "app");
    gets_in(builder().nkey(SEED)).await;
    stays_out(builder().nkey(OTHER_SEED), TransportErrorKind::Unauthorized).await;
    stays_out(builder().nkey("S3NTINEL"), TransportErrorKind::Config).await;
    stays_out(builder(), TransportErrorKind::Unauthorized).await;
}

#[tokio::test]
async fn t13_a_credentials_file_must_be_one() {
    let folder = std::env::temp_dir().join(format!("oyez-creds-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("wrong.creds");
    std::fs::write(&path, "S3NTINEL").unwrap();
    let builder = || NatsTransport::builder("nats://127.0.0.1:1", "app");
    stays_out(builder().credentials_file(&path), TransportErrorKind::Config).await;
    std::fs::remove_dir_all(&folder).unwrap();
    stays_out(builder().credentials_file(&path), TransportErrorKind::Config).await;
}

#[tokio::test]
async fn t13_rights_to_the_prefix_are_all_it_takes_and_less_is_an_error() {
    let config = "authorization { users = [
        { user: shop, password: x, permissions: { publish: \"app.>\", subscribe: \"app.>\" } }
    ] }";
    let server = NatsServer::start_configured(config).await;
    let connect = async |prefix: &str| {
        NatsTransport::builder(server.url(), prefix).user_and_password("shop", "x").connect().await.unwrap()
    };
    let mut node = Node::with(connect("app").await).await;
    node.publish("tick", "in").await.unwrap();
    assert_eq!(node.payload().await, "in");
    let begun = Instant::now();
    let error = connect("other").await.subscribe().await.err().expect("no right to subscribe");
    assert_eq!(error.kind(), TransportErrorKind::Unauthorized);
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn t05_a_login_that_is_refused_for_a_while_is_tried_again() {
    let right = "authorization { users = [{ user: shop, password: right }] }";
    let mut server = NatsServer::start_configured(right).await;
    let builder = NatsTransport::builder(server.url(), "app").user_and_password("shop", "right");
    let mut node = Node::with(builder.connect().await.unwrap()).await;
    server.configure("authorization { users = [{ user: shop, password: wrong }] }");
    server.restart().await;
    node.wait_for(oyez_bus::transport::Received::Down).await;
    crate::node::eventually(async || server.monitor("varz").await["total_connections"].as_u64() > Some(1)).await;
    server.configure(right);
    server.restart().await;
    node.wait_for(oyez_bus::transport::Received::Up).await;
    node.publish("tick", "in").await.unwrap();
    assert_eq!(node.payload().await, "in");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    let url = format!("nats://u:S3NTINEL@127.0.0.1:{}", free_port().await);
    stays_out(NatsTransport::builder(url, "app"), TransportErrorKind::Unreachable).await;
    let builder = NatsTransport::builder("nats://u:S3NTINEL@no-such-host.invalid", "app");
    stays_out(builder, TransportErrorKind::Unreachable).await;
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up_in_time() {
    let proxy = Proxy::start(1).await;
    proxy.blackhole();
    let url = format!("nats://u:S3NTINEL@127.0.0.1:{}", proxy.port());
    let builder = NatsTransport::builder(url, "app").connect_timeout(Duration::from_millis(300));
    let begun = Instant::now();
    stays_out(builder, TransportErrorKind::TimedOut).await;
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn settings_that_make_no_sense_are_refused() {
    for url in ["", "nats://", "http://u:S3NTINEL@host", "nats://u:S3NTINEL@host:x"] {
        stays_out(NatsTransport::builder(url, "app"), TransportErrorKind::Config).await;
    }
    let builder = NatsTransport::builder("nats://127.0.0.1:1", "app").silence(Duration::ZERO);
    stays_out(builder, TransportErrorKind::Config).await;
}

#[tokio::test]
async fn several_servers_may_be_named() {
    let server = NatsServer::start().await;
    let nobody = format!("nats://127.0.0.1:{}", free_port().await);
    gets_in(NatsTransport::builder(nobody.clone(), "app").server(server.url()).server(nobody)).await;
}
