//! [`RedisBuilder`]: a transport's settings.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use oyez_bus::transport::TransportError;

use crate::error::config;
use crate::settings::{Settings, is_tls, server_of};
use crate::tls::{Certificates, ClientCertificate};
use crate::transport::RedisTransport;

const MAX_PAYLOAD: usize = 1024 * 1024;
const SILENCE: Duration = Duration::from_secs(10);

/// What [`RedisTransport::builder`] returns.
#[must_use = "nothing is connected before `connect`"]
pub struct RedisBuilder {
    url: String,
    prefix: String,
    max_payload: usize,
    silence: Duration,
    certificates: Certificates,
}

impl RedisBuilder {
    pub(crate) fn new(url: String, prefix: String) -> Self {
        Self { url, prefix, max_payload: MAX_PAYLOAD, silence: SILENCE, certificates: Certificates::default() }
    }

    /// The largest frame that is sent, in bytes; 1 MiB if not said (promise T8). A server takes 512 MiB by default
    /// (`proto-max-bulk-len`), but makes everybody else wait meanwhile.
    pub fn max_payload(mut self, bytes: usize) -> Self {
        self.max_payload = bytes;
        self
    }

    /// How long a server may say nothing until the connection counts as dead, 10 seconds if not said (promise T6). After
    /// half of it the server is asked to say something.
    pub fn silence(mut self, bound: Duration) -> Self {
        self.silence = bound;
        self
    }

    /// The certificates, in PEM, of those who may vouch for the server, in place of the system's; for `rediss://`.
    pub fn root_certificate(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.certificates.roots = Some(pem.into());
        self
    }

    /// Our own certificate with its chain, and its key, in PEM; for `rediss://`.
    pub fn client_certificate(mut self, chain: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        self.certificates.client = Some(ClientCertificate { chain: chain.into(), key: key.into() });
        self
    }

    /// Connects to the server and logs in, within five seconds. It does not subscribe.
    ///
    /// # Errors
    /// `Config` for a URL, a prefix, a database or a certificate that makes no sense, `Unreachable` and `TimedOut` when
    /// nobody answers, `Tls` when a certificate is not accepted, `Unauthorized` when the server does not know us.
    pub async fn connect(self) -> Result<RedisTransport, TransportError> {
        if self.prefix.is_empty() {
            return Err(config("the prefix is empty"));
        }
        if self.silence.is_zero() {
            return Err(config("no connection is never silent"));
        }
        let server = server_of(&self.url)?;
        let tls = is_tls(&server).then(|| self.certificates.connector()).transpose()?;
        let prefix = Arc::from(self.prefix);
        let settings = Settings { server, tls, prefix, max_payload: self.max_payload, silence: self.silence };
        RedisTransport::open(settings).await
    }
}

impl fmt::Debug for RedisBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the URL, which may hold a password, nor the certificates.
        f.debug_struct("RedisBuilder")
            .field("prefix", &self.prefix)
            .field("max_payload", &self.max_payload)
            .field("silence", &self.silence)
            .finish_non_exhaustive()
    }
}
