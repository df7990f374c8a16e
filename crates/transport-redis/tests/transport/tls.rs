//! TLS, with certificates made for the test (promise T13).

use oyez_bus::transport::{Transport, TransportErrorKind};
use oyez_conformance::server::process::free_port;
use oyez_conformance::server::redis::RedisServer;
use oyez_transport_redis::{RedisBuilder, RedisTransport};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::crypto::CryptoProvider;

use super::folder::Folder;
use super::{PREFIX, frame, payload, words};

/// A Redis with TLS, and those who know it.
struct Secured {
    _server: RedisServer,
    url: String,
    authority: Authority,
    _folder: Folder,
}

/// Who vouches for certificates.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Secured {
    /// `clients` is Redis's `tls-auth-clients`: whether it wants a certificate of us.
    async fn start(clients: &str) -> Self {
        let (authority, folder) = (Authority::new(), Folder::new());
        let (chain, key) = authority.certificate("localhost");
        let (root, chain) = (folder.write("root.pem", &authority.root()), folder.write("chain.pem", &chain));
        let (key, port) = (folder.write("key.pem", &key), free_port().await);
        let files = ["--tls-ca-cert-file", &root, "--tls-cert-file", &chain, "--tls-key-file", &key];
        let rest = ["--tls-port", &port.to_string(), "--tls-auth-clients", clients];
        let server = RedisServer::start_with(&[&files[..], &rest].concat()).await;
        Self { _server: server, url: format!("rediss://localhost:{port}/"), authority, _folder: folder }
    }

    fn builder(&self) -> RedisBuilder {
        RedisTransport::builder(&self.url, PREFIX)
    }
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        // OpenSSL takes a certificate with the issuer's own name for one that vouches for itself.
        params.distinguished_name.push(DnType::CommonName, "an authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a certificate"))
    }

    fn root(&self) -> String {
        self.0.pem()
    }

    fn certificate(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new([name.to_owned()]).expect("parameters");
        (params.signed_by(&key, &self.0).expect("a certificate").pem(), key.serialize_pem())
    }
}

async fn works(builder: RedisBuilder) {
    let transport = builder.connect().await.expect("a connection");
    let mut incoming = transport.subscribe().await.expect("a subscription");
    let large = vec![b'x'; 1024 * 1024];
    transport.publish(&[frame("1"), frame(large.clone())]).await.expect("published");
    assert_eq!(payload(&mut incoming).await, "1");
    assert!(payload(&mut incoming).await == large);
}

async fn refused(builder: RedisBuilder) -> TransportErrorKind {
    let error = builder.connect().await.expect_err("no connection");
    assert!(!words(&error).contains("PRIVATE KEY"), "{error:?}");
    error.kind()
}

#[tokio::test]
async fn t13_a_server_is_trusted_if_its_root_is_named() {
    let secured = Secured::start("no").await;
    works(secured.builder().root_certificate(secured.authority.root())).await;
    assert!(CryptoProvider::get_default().is_none(), "the program's choice is made for it");
    let stranger = Authority::new();
    assert_eq!(refused(secured.builder().root_certificate(stranger.root())).await, TransportErrorKind::Tls);
    let by_number = RedisTransport::builder(secured.url.replace("localhost", "127.0.0.1"), PREFIX);
    let by_number = by_number.root_certificate(secured.authority.root());
    assert_eq!(refused(by_number).await, TransportErrorKind::Tls, "the certificate is for another name");
}

#[tokio::test]
async fn t13_a_server_may_want_a_certificate_of_ours() {
    let secured = Secured::start("yes").await;
    let builder = || secured.builder().root_certificate(secured.authority.root());
    let (chain, key) = secured.authority.certificate("app");
    works(builder().client_certificate(chain, key)).await;
    assert_eq!(refused(builder()).await, TransportErrorKind::Tls, "no certificate");
    let (chain, key) = Authority::new().certificate("app");
    assert_eq!(refused(builder().client_certificate(chain, key)).await, TransportErrorKind::Tls, "of somebody else");
}

#[tokio::test]
async fn t13_certificates_that_make_no_sense_are_told() {
    let authority = Authority::new();
    let builder = || RedisTransport::builder("rediss://localhost:1/", PREFIX);
    assert_eq!(refused(builder().root_certificate("no PEM")).await, TransportErrorKind::Config);
    let (chain, key) = authority.certificate("app");
    let (_, other_key) = authority.certificate("app");
    for (chain, key) in [(chain.as_str(), "no PEM"), ("no PEM", &key), (&chain, &other_key)] {
        let builder = builder().root_certificate(authority.root()).client_certificate(chain, key);
        assert_eq!(refused(builder).await, TransportErrorKind::Config);
    }
}

#[tokio::test]
async fn without_tls_a_server_with_it_cannot_be_used() {
    let secured = Secured::start("no").await;
    let plain = RedisTransport::builder(secured.url.replace("rediss", "redis"), PREFIX);
    assert!(matches!(refused(plain).await, TransportErrorKind::Unreachable | TransportErrorKind::Protocol));
}
