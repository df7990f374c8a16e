//! [`NatsBuilder`]: a transport's settings.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_nats::ConnectOptions;
use async_nats::rustls::crypto::{CryptoProvider, ring};
use oyez_bus::transport::{Backoff, TransportError, TransportErrorKind};
use tokio::time::timeout;

use crate::address::{Address, Login};
use crate::engine::Engine;
use crate::notices::Notices;
use crate::subjects::Subjects;
use crate::transport::NatsTransport;

/// What [`NatsTransport::builder`] returns.
///
/// No password is in its `Debug`.
#[derive(Clone)]
#[must_use = "nothing is connected before `connect`"]
pub struct NatsBuilder {
    prefix: String,
    urls: Vec<String>,
    options: ConnectOptions,
    credentials_file: Option<PathBuf>,
    has_login: bool,
    has_tls: bool,
    content_type: bool,
    silence: Duration,
    connect_timeout: Duration,
}

impl NatsBuilder {
    pub(crate) fn new(url: impl Into<String>, prefix: impl Into<String>) -> Self {
        let prefix = prefix.into();
        Self {
            options: ConnectOptions::new().name(format!("oyez {prefix}")),
            prefix,
            urls: vec![url.into()],
            credentials_file: None,
            has_login: false,
            has_tls: false,
            content_type: false,
            silence: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(5),
        }
    }

    /// One more server of the same cluster. Those that the servers tell of are used as well.
    pub fn server(mut self, url: impl Into<String>) -> Self {
        self.urls.push(url.into());
        self
    }

    /// Logs in with a token; one may also stand in the URL, as `nats://token@host`.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.has_login = true;
        self.options = self.options.token(token.into());
        self
    }

    /// Logs in with a user and a password; they may also stand in the URL, as `nats://user:password@host`.
    pub fn user_and_password(mut self, user: impl Into<String>, password: impl Into<String>) -> Self {
        self.has_login = true;
        self.options = self.options.user_and_password(user.into(), password.into());
        self
    }

    /// Logs in with the seed of an nkey.
    pub fn nkey(mut self, seed: impl Into<String>) -> Self {
        self.has_login = true;
        self.options = self.options.nkey(seed.into());
        self
    }

    /// Logs in with a credentials file: a JWT and the seed of an nkey. It is read by [`connect`](Self::connect).
    pub fn credentials_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.has_login = true;
        self.credentials_file = Some(path.into());
        self
    }

    /// Trusts the certificate authorities in this PEM file, and not those of the system.
    pub fn root_certificates(mut self, path: impl Into<PathBuf>) -> Self {
        self.has_tls = true;
        self.options = self.options.add_root_certificates(path.into());
        self
    }

    /// Shows the server this certificate, with its key: two PEM files.
    pub fn client_certificate(mut self, certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        self.has_tls = true;
        self.options = self.options.add_client_certificate(certificate.into(), key.into());
        self
    }

    /// Speaks TLS or not at all, as with a URL that begins with `tls://`. Without it, the server decides.
    pub fn require_tls(mut self) -> Self {
        self.has_tls = true;
        self.options = self.options.require_tls(true);
        self
    }

    /// Begins with the TLS handshake, for servers with `handshake_first`.
    pub fn tls_first(mut self) -> Self {
        self.has_tls = true;
        self.options = self.options.tls_first();
        self
    }

    /// The name of the connection in the server's monitoring; by default `oyez` and the prefix.
    pub fn connection_name(mut self, name: impl Into<String>) -> Self {
        self.options = self.options.name(name.into());
        self
    }

    /// Sends events with the header `content-type: application/cloudevents+json`, which costs about a quarter of the
    /// throughput of small events. Nodes of oyez do not look at it; other readers may take events without it for ones in
    /// binary mode.
    pub fn with_content_type(mut self) -> Self {
        self.content_type = true;
        self
    }

    /// How long a connection may be silent, an unanswered ping included, before it is replaced; by default 10 seconds
    /// (promise T6).
    pub fn silence(mut self, longest: Duration) -> Self {
        self.silence = longest;
        self
    }

    /// How long one attempt to connect to one server may take; by default 5 seconds.
    pub fn connect_timeout(mut self, longest: Duration) -> Self {
        self.connect_timeout = longest;
        self
    }

    /// Connects. Later, the transport reconnects by itself.
    ///
    /// # Errors
    /// [`Config`](TransportErrorKind::Config) if a setting makes no sense, and whatever keeps all servers from being
    /// connected to: [`Unreachable`](TransportErrorKind::Unreachable), [`TimedOut`](TransportErrorKind::TimedOut),
    /// [`Unauthorized`](TransportErrorKind::Unauthorized) or [`Tls`](TransportErrorKind::Tls).
    pub async fn connect(self) -> Result<NatsTransport, TransportError> {
        let subjects = Subjects::new(&self.prefix).map_err(config)?;
        if self.silence.is_zero() {
            return Err(config("no connection is never silent"));
        }
        let addresses: Result<Vec<_>, _> = self.urls.iter().map(|url| Address::parse(url)).collect();
        let addresses = addresses.map_err(config)?;
        // All attempts, and the look-up of the names.
        let longest = self.connect_timeout.saturating_mul(u32::try_from(addresses.len() + 1).unwrap_or(u32::MAX));
        let notices = Arc::new(Notices::default());
        let typed = self.content_type;
        let options = self.into_options(&addresses, &notices).await?;
        let servers: Vec<_> = addresses.into_iter().map(|address| address.server).collect();
        let starting = Engine::start(async move { options.connect(servers).await });
        let started = timeout(longest, starting).await;
        let (engine, client) = started.map_err(|error| TransportError::new(TransportErrorKind::TimedOut, error))??;
        Ok(NatsTransport::new(engine, client, subjects, notices, typed))
    }

    async fn into_options(
        self,
        addresses: &[Address],
        notices: &Arc<Notices>,
    ) -> Result<ConnectOptions, TransportError> {
        let mut options = self.options;
        if let Some(path) = self.credentials_file {
            options = options.credentials_file(path).await.map_err(config)?;
        }
        options = match addresses.iter().find_map(|address| address.login.as_ref()) {
            Some(Login::Token(token)) if !self.has_login => options.token(token.clone()),
            Some(Login::User(user, password)) if !self.has_login => {
                options.user_and_password(user.clone(), password.clone())
            }
            _ => options,
        };
        let must_be_tls = addresses.iter().any(|address| address.server.tls_required());
        if must_be_tls {
            // The servers that the first one tells of have no scheme, and must not be spoken to in the clear either.
            options = options.require_tls(true);
        }
        if must_be_tls || self.has_tls {
            install_cryptography();
        }
        let (before, events) = (Arc::clone(notices), Arc::clone(notices));
        Ok(options
            .connection_timeout(self.connect_timeout)
            .ping_interval(ping_interval(self.silence))
            .reconnect_delay_callback(move |attempt| pause(&before, attempt))
            .event_callback(move |event| {
                events.take(&event);
                std::future::ready(())
            }))
    }
}

/// The client pings a connection that has been silent for this long, pings again, and drops it the third time.
fn ping_interval(silence: Duration) -> Duration {
    silence.mul_f64(0.3).max(Duration::from_millis(1))
}

/// The pause before the client's `attempt`, which counts from one; the very first attempts of all have none.
fn pause(notices: &Notices, attempt: usize) -> Duration {
    if notices.connected() { Backoff::nth(attempt.saturating_sub(1)) } else { Duration::ZERO }
}

/// The client uses the process's provider of cryptography. rustls installs one by itself, and panics if the program has
/// been built with two.
fn install_cryptography() {
    if CryptoProvider::get_default().is_none() {
        // An error means that somebody else was faster.
        _ = ring::default_provider().install_default();
    }
}

fn config(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> TransportError {
    TransportError::new(TransportErrorKind::Config, cause)
}

impl fmt::Debug for NatsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsBuilder")
            .field("prefix", &self.prefix)
            .field("servers", &self.urls.len())
            .field("silence", &self.silence)
            .field("connect_timeout", &self.connect_timeout)
            .finish_non_exhaustive()
    }
}
