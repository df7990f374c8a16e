//! [`Settings`]: where the server is, who we are there, and on which channel.

use std::sync::Arc;
use std::time::Duration;

use oyez_bus::transport::TransportError;
use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo};
use tokio_rustls::TlsConnector;

use crate::error::config;

/// All that it takes to connect, as often as needed.
///
/// It has no `Debug`: it holds the password.
pub(crate) struct Settings {
    pub(crate) server: ConnectionInfo,
    pub(crate) tls: Option<TlsConnector>,
    /// The channel, used literally: SUBSCRIBE, never PSUBSCRIBE (promise T10).
    pub(crate) prefix: Arc<str>,
    pub(crate) max_payload: usize,
    /// A connection that has been silent for so long is dead (promise T6).
    pub(crate) silence: Duration,
}

/// The server that a URL means.
pub(crate) fn server_of(url: &str) -> Result<ConnectionInfo, TransportError> {
    // The parser's own words are left out: they may quote the URL, which may hold a password.
    let server = url.into_connection_info().map_err(|_| config("not the URL of a Redis server"))?;
    match server.addr() {
        ConnectionAddr::TcpTls { insecure: true, .. } => {
            Err(config("`#insecure` is not supported: name the root certificate"))
        }
        _ => Ok(server),
    }
}

/// Whether the URL asks for TLS.
pub(crate) fn is_tls(server: &ConnectionInfo) -> bool {
    matches!(server.addr(), ConnectionAddr::TcpTls { .. })
}

#[cfg(test)]
mod tests {
    use oyez_bus::transport::TransportErrorKind;

    use super::*;

    #[test]
    fn t13_a_bad_url_is_told_without_its_password() {
        let urls = [
            "",
            "S3NTINEL",
            "redis://",
            "http://:S3NTINEL@localhost/",
            "redis://:S3NTINEL@localhost:99999/",
            "redis://:S3NTINEL@localhost/not-a-number",
            "redis://localhost/?protocol=S3NTINEL",
            "rediss://:S3NTINEL@localhost/#insecure",
        ];
        for url in urls {
            let Err(error) = server_of(url) else { panic!("{url} is accepted") };
            assert_eq!(error.kind(), TransportErrorKind::Config, "{url}");
            assert!(!format!("{error}{error:?}").contains("S3NTINEL"), "{url}");
        }
    }

    #[test]
    fn a_url_says_who_where_and_whether_in_private() {
        let server = server_of("rediss://app:p%40ss@redis.example:6380/3").expect("a good URL");
        assert!(is_tls(&server));
        let login = server.redis_settings();
        assert_eq!((login.username(), login.password(), login.db()), (Some("app"), Some("p@ss"), 3));
        assert!(!is_tls(&server_of("redis://localhost").expect("a good URL")));
    }
}
