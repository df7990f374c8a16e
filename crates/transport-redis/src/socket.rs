//! [`Socket`]: bytes to and from the server, over TCP, TLS or a Unix socket.

use std::io;

use futures_util::future::select_ok;
use oyez_bus::transport::{TransportError, TransportErrorKind};
use redis::ConnectionAddr;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};

use crate::error::{broken, config};
use crate::settings::Settings;

/// Any kind of socket.
pub(crate) trait Socket: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Socket for S {}

/// Connects to the server; nothing is said yet.
pub(crate) async fn connect(settings: &Settings) -> Result<Box<dyn Socket>, TransportError> {
    match settings.server.addr() {
        ConnectionAddr::Tcp(host, port) => Ok(Box::new(tcp(host, *port).await?)),
        ConnectionAddr::TcpTls { host, port, .. } => {
            let connector = settings.tls.as_ref().ok_or_else(|| config("no certificates for TLS"))?;
            let name = ServerName::try_from(host.clone()).map_err(|_| config("not the name of a server"))?;
            let secured = connector.connect(name, tcp(host, *port).await?).await;
            Ok(Box::new(secured.map_err(broken)?))
        }
        #[cfg(unix)]
        ConnectionAddr::Unix(path) => Ok(Box::new(tokio::net::UnixStream::connect(path).await.map_err(broken)?)),
        _ => Err(config("not a kind of address that this system has")),
    }
}

/// The first of the host's addresses that answers, all asked at once: one that is a black hole costs no time.
async fn tcp(host: &str, port: u16) -> Result<TcpStream, TransportError> {
    let addresses: Vec<_> = lookup_host((host, port)).await.map_err(broken)?.collect();
    if addresses.is_empty() {
        return Err(TransportError::new(TransportErrorKind::Unreachable, "the host has no address"));
    }
    let attempts = addresses.into_iter().map(|address| Box::pin(TcpStream::connect(address)));
    let (socket, _) = select_ok(attempts).await.map_err(broken)?;
    no_delay(&socket).map_err(broken)?;
    Ok(socket)
}

/// A batch is written at once; a part of it that waits for an acknowledgement waits for nothing.
fn no_delay(socket: &TcpStream) -> io::Result<()> {
    socket.set_nodelay(true)
}
