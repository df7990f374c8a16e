//! Who may connect, and what they are told who may not (promise T13).

use std::time::{Duration, Instant};

use oyez_bus::transport::{Transport, TransportErrorKind};
use oyez_conformance::server::process::free_port;
use oyez_conformance::server::redis::RedisServer;
use oyez_transport_redis::RedisTransport;
use tokio::net::TcpListener;

use super::folder::Folder;
use super::{PREFIX, connected, frame, payload, quiet_for_ten_pings, words};

const SECRET: &str = "S3NTINEL";

/// What kind of error connecting to `url` is; it holds no secret.
async fn refused(url: &str, prefix: &str) -> TransportErrorKind {
    let builder = RedisTransport::builder(url, prefix);
    assert!(!format!("{builder:?}").contains(SECRET), "{builder:?}");
    let error = builder.connect().await.expect_err("no connection");
    assert!(!words(&error).contains(SECRET), "{}", words(&error));
    error.kind()
}

#[tokio::test]
async fn t13_a_password_lets_in_and_a_wrong_one_does_not() {
    let server = RedisServer::start_with(&["--requirepass", SECRET]).await;
    let at = server.url().replace("redis://", "");
    let transport =
        RedisTransport::connect(format!("redis://:{SECRET}@{at}"), PREFIX).await.expect("the right password");
    assert!(!format!("{transport:?}").contains(SECRET), "{transport:?}");
    let mut incoming = transport.subscribe().await.expect("a subscription");
    transport.publish(&[frame("1")]).await.expect("published");
    assert_eq!(payload(&mut incoming).await, "1");
    for login in ["", ":S3NTINEL-2@", "nobody:S3NTINEL@"] {
        let kind = refused(&format!("redis://{login}{at}"), PREFIX).await;
        assert_eq!(kind, TransportErrorKind::Unauthorized, "as `{login}`");
    }
}

#[tokio::test]
async fn t13_an_acl_user_may_do_what_the_acl_says() {
    let server = RedisServer::start().await;
    let rights = ["+publish", "+subscribe", "&shop"];
    server.command(&[&["ACL", "SETUSER", "app", "on", &format!(">{SECRET}")][..], &rights].concat()).await;
    let url = server.url().replace("redis://", &format!("redis://app:{SECRET}@"));

    let transport = RedisTransport::connect(&url, PREFIX).await.expect("a user without the right to ping");
    let mut incoming = transport.subscribe().await.expect("a subscription");
    transport.publish(&[frame("1")]).await.expect("published");
    assert_eq!(payload(&mut incoming).await, "1");

    let elsewhere = RedisTransport::connect(&url, "bank").await.expect("the login is right");
    for error in [elsewhere.subscribe().await.err(), elsewhere.publish(&[frame(SECRET)]).await.err()] {
        let error = error.expect("a channel without rights");
        assert_eq!(error.kind(), TransportErrorKind::Unauthorized, "{error:?}");
        assert!(error.is_retryable());
        assert!(!words(&error).contains(SECRET), "{}", words(&error));
    }
}

#[tokio::test]
async fn t06_a_server_that_does_not_let_us_ping_is_alive_all_the_same() {
    let server = RedisServer::start().await;
    server.command(&["ACL", "SETUSER", "app", "on", "nopass", "+publish", "+subscribe", "&shop"]).await;
    let url = server.url().replace("redis://", "redis://app:any@");
    let silence = Duration::from_millis(200);
    let transport = RedisTransport::builder(url, PREFIX).silence(silence).connect().await.expect("a connection");
    let mut incoming = transport.subscribe().await.expect("a subscription");
    quiet_for_ten_pings(&mut incoming, &server, "rejected_calls").await;
    transport.publish(&[frame("1")]).await.expect("published");
    assert_eq!(payload(&mut incoming).await, "1");
}

#[tokio::test]
async fn a_setting_that_makes_no_sense_is_told() {
    let server = RedisServer::start().await;
    assert_eq!(refused(&server.url(), "").await, TransportErrorKind::Config);
    for url in ["S3NTINEL", "http://:S3NTINEL@localhost/", "redis://:S3NTINEL@localhost/x"] {
        assert_eq!(refused(url, PREFIX).await, TransportErrorKind::Config, "{url}");
    }
    let no_such_database = format!("{}99", server.url());
    assert_eq!(refused(&no_such_database, PREFIX).await, TransportErrorKind::Config);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    let url = format!("redis://:{SECRET}@127.0.0.1:{}/", free_port().await);
    assert_eq!(refused(&url, PREFIX).await, TransportErrorKind::Unreachable);
}

#[tokio::test]
async fn connecting_to_a_server_that_says_nothing_takes_seconds() {
    let server = RedisServer::start().await;
    server.stop();
    let started = Instant::now();
    assert_eq!(refused(&server.url(), PREFIX).await, TransportErrorKind::TimedOut);
    assert!(started.elapsed().as_secs() < 8, "{:?}", started.elapsed());
}

#[tokio::test]
async fn what_is_no_redis_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.expect("a connection");
        let greeting = b"INFO {\"server_id\":\"N\"}\r\n";
        tokio::io::AsyncWriteExt::write_all(&mut socket, greeting).await.expect("written");
        std::future::pending::<()>().await;
    });
    assert_eq!(refused(&format!("redis://127.0.0.1:{port}"), PREFIX).await, TransportErrorKind::Protocol);
}

#[tokio::test]
async fn a_server_without_room_is_tried_again() {
    let server = RedisServer::start_with(&["--maxclients", "2"]).await;
    let transport = connected(&server).await;
    let _other = connected(&server).await;
    let error = transport.subscribe().await.err().expect("no third connection");
    assert_eq!(error.kind(), TransportErrorKind::Unreachable, "{error:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_unix_socket_is_an_address() {
    let folder = Folder::new();
    let path = folder.file("redis.sock");
    let _server = RedisServer::start_with(&["--unixsocket", &path]).await;
    let transport = RedisTransport::connect(format!("unix://{path}"), PREFIX).await.expect("a connection");
    let mut incoming = transport.subscribe().await.expect("a subscription");
    transport.publish(&[frame("1")]).await.expect("published");
    assert_eq!(payload(&mut incoming).await, "1");
}
