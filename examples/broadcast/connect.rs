//! [`Place`]: a server with a prefix, and how a bus is joined to those who meet there.

use std::error::Error;
use std::fmt;

use oyez::{EventBus, Link};

/// Where programs meet.
pub struct Place {
    server: Server,
    url: String,
    prefix: String,
}

#[derive(Clone, Copy)]
enum Server {
    Redis,
    Nats,
}

impl Place {
    /// Programs with the same URL and prefix hear each other.
    pub fn parse(url: &str, prefix: String) -> Result<Self, PlaceError> {
        let server = match url.split_once("://") {
            Some(("redis" | "rediss", _)) => Server::Redis,
            Some(("nats" | "tls", _)) => Server::Nats,
            _ => return Err(PlaceError::Scheme),
        };
        Ok(Self { server, url: url.to_owned(), prefix })
    }

    /// Joins the bus to the others. When this returns, it hears whatever they emit from now on.
    pub async fn attach(&self, bus: &EventBus) -> Result<Link, Box<dyn Error>> {
        match self.server {
            Server::Redis => over_redis(bus, &self.url, &self.prefix).await,
            Server::Nats => over_nats(bus, &self.url, &self.prefix).await,
        }
    }

    pub fn prefix(&self) -> &str {
        &self.prefix
    }
}

#[cfg(feature = "redis")]
async fn over_redis(bus: &EventBus, url: &str, prefix: &str) -> Result<Link, Box<dyn Error>> {
    let transport = oyez::RedisTransport::connect(url, prefix).await?;
    Ok(bus.attach(transport).await?)
}

#[cfg(not(feature = "redis"))]
async fn over_redis(_: &EventBus, _: &str, _: &str) -> Result<Link, Box<dyn Error>> {
    Err(PlaceError::Feature("redis").into())
}

#[cfg(feature = "nats")]
async fn over_nats(bus: &EventBus, url: &str, prefix: &str) -> Result<Link, Box<dyn Error>> {
    let transport = oyez::NatsTransport::connect(url, prefix).await?;
    Ok(bus.attach(transport).await?)
}

#[cfg(not(feature = "nats"))]
async fn over_nats(_: &EventBus, _: &str, _: &str) -> Result<Link, Box<dyn Error>> {
    Err(PlaceError::Feature("nats").into())
}

/// A server that this program cannot speak to.
#[derive(Debug, Clone, Copy)]
pub enum PlaceError {
    Scheme,
    /// It was built without this one.
    #[cfg(not(all(feature = "redis", feature = "nats")))]
    Feature(&'static str),
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scheme => f.write_str("a server's URL begins with redis://, rediss://, nats:// or tls://"),
            #[cfg(not(all(feature = "redis", feature = "nats")))]
            Self::Feature(name) => {
                write!(f, "this program was built without the feature `{name}`: run cargo with `--features {name}`")
            }
        }
    }
}

impl Error for PlaceError {}
