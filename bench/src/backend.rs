//! [`Backend`]: a kind of server, and how a bus is attached to it.

use std::env;
use std::path::PathBuf;

use clap::ValueEnum;
use oyez::transport::TransportError;
use oyez::{EventBus, Link, NatsTransport, RedisTransport};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
pub(crate) enum Backend {
    Redis,
    Nats,
}

impl Backend {
    pub(crate) const ALL: [Self; 2] = [Self::Redis, Self::Nats];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Redis => "redis",
            Self::Nats => "nats",
        }
    }

    /// Looked for in `PATH` and where servers are installed.
    pub(crate) fn program(self) -> String {
        let program = format!("{}-server", self.name());
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = env::split_paths(&path).chain(["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from));
        let mut found = folders.map(|folder| folder.join(&program)).filter(|file| file.is_file());
        found.next().map_or(program, |file| file.to_string_lossy().into_owned())
    }

    /// Nothing but where it listens, and that it keeps nothing.
    pub(crate) fn args(self, port: u16) -> Vec<String> {
        let port = port.to_string();
        let args: &[&str] = match self {
            Self::Redis => &["--bind", "127.0.0.1", "--port", &port, "--save", "", "--appendonly", "no"],
            Self::Nats => &["--addr", "127.0.0.1", "--port", &port],
        };
        args.iter().map(ToString::to_string).collect()
    }

    pub(crate) async fn attach(self, bus: &EventBus, url: &str, prefix: &str) -> Result<Link, TransportError> {
        match self {
            Self::Redis => bus.attach(RedisTransport::connect(url, prefix).await?).await,
            Self::Nats => bus.attach(NatsTransport::connect(url, prefix).await?).await,
        }
    }
}
