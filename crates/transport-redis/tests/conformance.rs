//! The suite that every transport passes, on Redis.

#![expect(clippy::expect_used, reason = "a test may fail so")]

use oyez_bus::transport::TransportError;
use oyez_conformance::proxy::Proxy;
use oyez_conformance::server::redis::RedisServer;
use oyez_conformance::{Backend, SILENCE};
use oyez_transport_redis::RedisTransport;

oyez_conformance::transport_suite!(Redis);

struct Redis(RedisServer);

impl Backend for Redis {
    type Transport = RedisTransport;
    type Wire = Proxy;

    async fn start() -> Self {
        Self(RedisServer::start().await)
    }

    async fn connect(&self, prefix: &str) -> Result<(RedisTransport, Proxy), TransportError> {
        let proxy = Proxy::start(self.0.port()).await;
        let url = format!("redis://127.0.0.1:{}/", proxy.port());
        Ok((Self::connect_to(&url, prefix).await?, proxy))
    }

    fn address(&self) -> Option<String> {
        Some(self.0.url())
    }

    async fn connect_to(address: &str, prefix: &str) -> Result<RedisTransport, TransportError> {
        RedisTransport::builder(address, prefix).silence(SILENCE).connect().await
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

    async fn publish(&self, prefix: &str, _name: &str, payload: &[u8]) {
        self.0.command(&[b"PUBLISH", prefix.as_bytes(), payload]).await;
    }

    async fn subscriptions(&self, prefix: &str) -> usize {
        let reply = self.0.command(&["PUBSUB", "NUMSUB", prefix]).await;
        let (_, count) = reply.trim_end().rsplit_once(':').expect("the count is the last line");
        count.parse().expect("a number")
    }
}
