//! Which [`TransportError`] a failure is.

use std::error::Error;
use std::fmt;
use std::io;

use oyez_bus::transport::{TransportError, TransportErrorKind};

use crate::resp::Malformed;

/// The server answered a command with an error.
///
/// Only its code is kept: what follows may quote arguments, and so a payload.
#[derive(Debug)]
struct Refused {
    command: &'static str,
    code: String,
}

/// The error that an answer of the server is.
pub(crate) fn refused(command: &'static str, text: &str) -> TransportError {
    let code = text.split(' ').next().unwrap_or_default();
    TransportError::new(kind_of(command, code, text), Refused { command, code: code.to_owned() })
}

fn kind_of(command: &str, code: &str, text: &str) -> TransportErrorKind {
    match code {
        "NOAUTH" | "WRONGPASS" | "NOPERM" | "DENIED" => TransportErrorKind::Unauthorized,
        _ if text.contains("max number of clients") => TransportErrorKind::Unreachable,
        // `proto-max-bulk-len` of the server: it ends the connection after that.
        _ if text.contains("invalid bulk length") => TransportErrorKind::TooLarge,
        "ERR" if command == "AUTH" => TransportErrorKind::Unauthorized,
        "ERR" if command == "SELECT" => TransportErrorKind::Config,
        _ => TransportErrorKind::Protocol,
    }
}

/// The error that a failure of the socket is.
pub(crate) fn broken(error: io::Error) -> TransportError {
    let is_tls = error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>());
    let kind = if is_tls { TransportErrorKind::Tls } else { TransportErrorKind::Unreachable };
    TransportError::new(kind, error)
}

/// The server, or something between, has ended the connection.
pub(crate) fn ended() -> TransportError {
    broken(io::ErrorKind::UnexpectedEof.into())
}

/// What answers is no Redis.
pub(crate) fn malformed(_: Malformed) -> TransportError {
    TransportError::new(TransportErrorKind::Protocol, "not an answer of a Redis server")
}

/// A setting makes no sense, for this reason.
pub(crate) fn config(reason: &'static str) -> TransportError {
    TransportError::new(TransportErrorKind::Config, reason)
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server answered {} with {}", self.command, self.code)
    }
}

impl Error for Refused {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t13_nothing_that_the_server_quotes_is_repeated() {
        let error = refused("PUBLISH", "ERR unknown command 'PUBLISH', with args beginning with: 'shop' 'S3NTINEL'");
        assert_eq!(error.kind(), TransportErrorKind::Protocol);
        assert!(!format!("{error:?}").contains("S3NTINEL"), "{error:?}");
    }

    #[test]
    fn answers_are_told_apart_by_what_helps() {
        use TransportErrorKind::{Config, Protocol, TooLarge, Unauthorized, Unreachable};
        let answers = [
            ("PING", "NOAUTH Authentication required.", Unauthorized),
            ("AUTH", "WRONGPASS invalid username-password pair or user is disabled.", Unauthorized),
            ("AUTH", "ERR AUTH <password> called without any password configured", Unauthorized),
            ("AUTH", "ERR max number of clients reached", Unreachable),
            ("SELECT", "ERR DB index is out of range", Config),
            ("SUBSCRIBE", "NOPERM this user has no permissions to access one of the channels", Unauthorized),
            ("PUBLISH", "ERR Protocol error: invalid bulk length", TooLarge),
            ("PUBLISH", "MASTERDOWN Link with MASTER is down", Protocol),
        ];
        for (command, text, kind) in answers {
            assert_eq!(refused(command, text).kind(), kind, "{text}");
        }
    }
}
