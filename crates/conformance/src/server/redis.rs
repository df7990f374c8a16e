//! [`RedisServer`]: a Redis server of a test, on a free port.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::process::{Process, free_port, wait_for_port};

const PROGRAM: &str = "redis-server";

/// A Redis server that keeps nothing on disk, killed when it is dropped.
#[derive(Debug)]
pub struct RedisServer {
    process: Process,
    port: u16,
    args: Vec<String>,
}

impl RedisServer {
    /// Starts one that asks for no password.
    ///
    /// # Panics
    /// Redis is not installed, or does not start.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts one with further options of its command line, such as `["--requirepass", "secret"]`.
    ///
    /// # Panics
    /// Redis is not installed, or does not start.
    pub async fn start_with(args: &[&str]) -> Self {
        let port = free_port().await;
        let fixed = ["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
        let args: Vec<_> = fixed.iter().chain(args).map(ToString::to_string).collect();
        let process = Process::start(PROGRAM, &args);
        wait_for_port(port).await;
        Self { process, port, args }
    }

    /// Where it is, without credentials.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// The port it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends it with SIGKILL.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Freezes it: its sockets stay open and nothing answers.
    ///
    /// # Panics
    /// The signal cannot be sent.
    pub fn stop(&self) {
        self.process.stop();
    }

    /// Lets it go on after [`stop`](Self::stop).
    ///
    /// # Panics
    /// The signal cannot be sent.
    pub fn cont(&self) {
        self.process.cont();
    }

    /// Starts it again on the same port with the same options, and kills it before if it still runs.
    ///
    /// # Panics
    /// It does not start.
    pub async fn restart(&mut self) {
        self.process.kill();
        self.process = Process::start(PROGRAM, &self.args);
        wait_for_port(self.port).await;
    }

    /// Sends one command on a connection of its own, and returns the reply as the protocol writes it, such as `:1\r\n`.
    ///
    /// # Panics
    /// The server cannot be reached.
    pub async fn command(&self, args: &[impl AsRef<[u8]>]) -> String {
        let mut socket = TcpStream::connect(("127.0.0.1", self.port)).await.expect("a connection to Redis");
        let mut request = format!("*{}\r\n", args.len()).into_bytes();
        for arg in args.iter().map(AsRef::as_ref) {
            request.extend_from_slice(format!("${}\r\n", arg.len()).as_bytes());
            request.extend_from_slice(arg);
            request.extend_from_slice(b"\r\n");
        }
        // So that the end of the connection is the end of the reply.
        request.extend_from_slice(b"QUIT\r\n");
        socket.write_all(&request).await.expect("a request to Redis");
        let mut reply = Vec::new();
        socket.read_to_end(&mut reply).await.expect("a reply of Redis");
        let reply = String::from_utf8_lossy(&reply).into_owned();
        reply.strip_suffix("+OK\r\n").unwrap_or(&reply).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_server_comes_back_on_its_port() {
        let mut server = RedisServer::start().await;
        assert_eq!(server.command(&["PING"]).await, "+PONG\r\n");
        server.kill();
        assert!(TcpStream::connect(("127.0.0.1", server.port())).await.is_err());
        server.restart().await;
        assert_eq!(server.command(&["PUBSUB", "NUMSUB", "shop"]).await, "*2\r\n$4\r\nshop\r\n:0\r\n");
    }
}
