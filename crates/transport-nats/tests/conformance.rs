//! What every transport promises, over NATS.

use oyez_bus::transport::TransportError;
use oyez_conformance::proxy::Proxy;
use oyez_conformance::server::nats::NatsServer;
use oyez_conformance::{Backend, SILENCE, foreign, transport_suite};
use oyez_transport_nats::NatsTransport;

struct Nats(NatsServer);

impl Backend for Nats {
    type Transport = NatsTransport;
    type Wire = Proxy;

    async fn start() -> Self {
        Self(NatsServer::start().await)
    }

    async fn connect(&self, prefix: &str) -> Result<(NatsTransport, Proxy), TransportError> {
        let proxy = Proxy::start(self.0.port()).await;
        let url = format!("nats://127.0.0.1:{}", proxy.port());
        Ok((NatsTransport::builder(url, prefix).silence(SILENCE).connect().await?, proxy))
    }

    fn address(&self) -> Option<String> {
        Some(self.0.url())
    }

    async fn connect_to(address: &str, prefix: &str) -> Result<NatsTransport, TransportError> {
        NatsTransport::builder(address, prefix).silence(SILENCE).connect().await
    }

    fn kill(&mut self) {
        self.0.kill();
    }

    async fn restart(&mut self) {
        self.0.restart().await;
    }

    fn freeze(&mut self) {
        self.0.stop();
    }

    fn thaw(&mut self) {
        self.0.cont();
    }

    async fn publish(&self, prefix: &str, name: &str, payload: &[u8]) {
        foreign::nats_publish(self.0.port(), &format!("{prefix}.{name}"), payload).await;
    }

    async fn subscriptions(&self, prefix: &str) -> usize {
        let subjects = self.0.subscriptions().await;
        subjects.iter().filter(|subject| **subject == format!("{prefix}.>")).count()
    }
}

transport_suite!(Nats);
