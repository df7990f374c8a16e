//! Connections with TLS, with an authority of the test's own.

use std::fs;
use std::path::{Path, PathBuf};

use oyez_bus::transport::TransportErrorKind;
use oyez_conformance::server::nats::NatsServer;
use oyez_transport_nats::{NatsBuilder, NatsTransport};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::node::Node;

/// Two authorities, and what the first one has signed, as PEM files in a folder that goes with this.
struct Certificates {
    folder: PathBuf,
}

impl Certificates {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("oyez-tls-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (ours, others) = (authority(), authority());
        fs::write(folder.join("ca.pem"), ours.pem()).unwrap();
        fs::write(folder.join("other-ca.pem"), others.pem()).unwrap();
        for (name, issuer) in [("server", &ours), ("client", &ours), ("stranger", &others)] {
            let key = KeyPair::generate().unwrap();
            let names = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
            let certificate = CertificateParams::new(names).unwrap().signed_by(&key, issuer).unwrap();
            fs::write(folder.join(format!("{name}.pem")), certificate.pem()).unwrap();
            fs::write(folder.join(format!("{name}.key")), key.serialize_pem()).unwrap();
        }
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    async fn server(&self, verifies: bool) -> NatsServer {
        let path = |name| self.path(name).display().to_string();
        let (certificate, key, ca) = (path("server.pem"), path("server.key"), path("ca.pem"));
        let config =
            format!("tls {{ cert_file: {certificate:?}, key_file: {key:?}, ca_file: {ca:?}, verify: {verifies} }}");
        NatsServer::start_configured(&config).await
    }
}

impl Drop for Certificates {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.folder);
    }
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn builder(server: &NatsServer, ca: impl AsRef<Path>) -> NatsBuilder {
    NatsTransport::builder(format!("tls://127.0.0.1:{}", server.port()), "app").root_certificates(ca.as_ref())
}

async fn gets_in(builder: NatsBuilder) {
    let mut node = Node::with(builder.connect().await.unwrap()).await;
    node.publish("tick", "in").await.unwrap();
    assert_eq!(node.payload().await, "in");
}

async fn stays_out(builder: NatsBuilder) {
    let error = builder.connect().await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Tls, "{error:?}");
}

#[tokio::test]
async fn t13_a_server_is_trusted_for_its_authority() {
    let certificates = Certificates::new("root");
    let server = certificates.server(false).await;
    let (ours, others) = (certificates.path("ca.pem"), certificates.path("other-ca.pem"));
    gets_in(builder(&server, &ours)).await;
    // The server asks for TLS by itself.
    gets_in(NatsTransport::builder(server.url(), "app").root_certificates(&ours)).await;
    stays_out(builder(&server, &others)).await;
    stays_out(builder(&server, certificates.path("none.pem"))).await;
    // Not known to the system.
    stays_out(NatsTransport::builder(server.url(), "app")).await;
}

#[tokio::test]
async fn t13_a_client_shows_its_certificate() {
    let certificates = Certificates::new("client");
    let server = certificates.server(true).await;
    let builder = || builder(&server, certificates.path("ca.pem"));
    let path = |name| certificates.path(name);
    gets_in(builder().client_certificate(path("client.pem"), path("client.key"))).await;
    stays_out(builder().client_certificate(path("stranger.pem"), path("stranger.key"))).await;
    stays_out(builder()).await;
}

#[tokio::test]
async fn t13_what_must_be_secure_is_not_spoken_in_the_clear() {
    let certificates = Certificates::new("clear");
    let server = NatsServer::start().await;
    stays_out(builder(&server, certificates.path("ca.pem"))).await;
    stays_out(NatsTransport::builder(server.url(), "app").root_certificates(certificates.path("ca.pem")).require_tls())
        .await;
}
