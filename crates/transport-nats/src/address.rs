//! [`Address`]: the URL of a server, taken apart, so that no secret stays in it.

use std::io;

use async_nats::ServerAddr;

use crate::percent;

/// Where a server is, and who its URL says that we are.
pub(crate) struct Address {
    /// Without credentials: the client logs it.
    pub(crate) server: ServerAddr,
    pub(crate) login: Option<Login>,
}

/// Credentials from a URL.
pub(crate) enum Login {
    /// `nats://token@host`
    Token(String),
    /// `nats://user:password@host`
    User(String, String),
}

/// A text is no address of a NATS server. The text itself is not told: it may hold a password.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AddressError {
    #[error("the server's URL makes no sense")]
    Url(#[source] io::Error),
    #[error("the server's URL is not nats://host:port or tls://host:port")]
    Scheme,
    #[error("the server's URL has credentials that are not percent-encoded UTF-8")]
    Login,
}

impl Address {
    pub(crate) fn parse(url: &str) -> Result<Self, AddressError> {
        let server: ServerAddr = url.parse().map_err(AddressError::Url)?;
        let login = Login::of(&server)?;
        let mut url = server.into_inner();
        if !matches!(url.scheme(), "nats" | "tls") || url.host_str().is_none_or(str::is_empty) {
            return Err(AddressError::Scheme);
        }
        url.set_path("");
        url.set_query(None);
        url.set_fragment(None);
        if url.set_username("").is_err() || url.set_password(None).is_err() {
            return Err(AddressError::Scheme);
        }
        let server = ServerAddr::from_url(url).map_err(AddressError::Url)?;
        Ok(Self { server, login })
    }
}

impl Login {
    fn of(server: &ServerAddr) -> Result<Option<Self>, AddressError> {
        let decode = |text| percent::decode(text).ok_or(AddressError::Login);
        Ok(match (server.username(), server.password()) {
            (None, None) => None,
            (Some(token), None) => Some(Self::Token(decode(token)?)),
            (user, Some(password)) => Some(Self::User(decode(user.unwrap_or_default())?, decode(password)?)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(url: &str) -> String {
        Address::parse(url).unwrap().server.as_url_str().to_owned()
    }

    #[test]
    fn t13_no_secret_stays_in_an_address() {
        for url in
            ["nats://S3NTINEL@host:1", "nats://u:S3NTINEL@host:1", "nats://:S3NTINEL@host:1?password=S3NTINEL#S3NTINEL"]
        {
            assert_eq!(server(url), "nats://host:1");
        }
        assert_eq!(server("tls://host:1/S3NTINEL"), "tls://host:1");
        assert_eq!(server("host:1"), "nats://host:1");
    }

    #[test]
    fn credentials_are_taken_from_the_url() {
        let login = |url| Address::parse(url).unwrap().login;
        assert!(login("nats://host").is_none());
        assert!(matches!(login("nats://t%40k@host"), Some(Login::Token(token)) if token == "t@k"));
        assert!(
            matches!(login("nats://u:p%3Ass@host"), Some(Login::User(user, password)) if user == "u" && password == "p:ss")
        );
    }

    #[test]
    fn t13_an_error_does_not_repeat_the_url() {
        for url in [
            "",
            "nats://",
            "nats://u:S3NTINEL@host:99999",
            "http://u:S3NTINEL@host",
            "ws://u:S3NTINEL@host",
            "nats://S3NTINEL%FF@host",
        ] {
            let Err(error) = Address::parse(url) else { panic!("{url}") };
            assert!(!format!("{error} {error:?}").contains("S3NTINEL"), "{error:?}");
        }
    }
}
