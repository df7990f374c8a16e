//! [`Connection`]: a connection to the server on which we are known.

use std::time::Duration;

use bytes::BytesMut;
use oyez_bus::transport::{TransportError, TransportErrorKind};
use redis::{Cmd, cmd};
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf, split};
use tokio::time::{Instant, timeout};

use crate::error::{broken, ended, malformed, refused};
use crate::resp::{self, Next, Reply};
use crate::settings::Settings;
use crate::socket::{self, Socket};

/// How long connecting, TLS and login may take together.
const OPENED_WITHIN: Duration = Duration::from_secs(5);
/// The size of the buffers for what the server says.
const ROOM: usize = 64 * 1024;
/// With less room than this, the next buffer is begun.
const LITTLE: usize = 8 * 1024;

/// A connection to the server. After an error it is of no more use.
pub(crate) struct Connection {
    read: ReadHalf<Box<dyn Socket>>,
    write: WriteHalf<Box<dyn Socket>>,
    input: Input,
}

/// What the server has said.
struct Input {
    buffer: BytesMut,
    heard: Instant,
}

impl Connection {
    /// Connects and logs in.
    pub(crate) async fn open(settings: &Settings) -> Result<Self, TransportError> {
        within(OPENED_WITHIN, Self::log_in(settings)).await
    }

    async fn log_in(settings: &Settings) -> Result<Self, TransportError> {
        let (read, write) = split(socket::connect(settings).await?);
        let input = Input { buffer: BytesMut::with_capacity(ROOM), heard: Instant::now() };
        let mut connection = Self { read, write, input };
        let login = settings.server.redis_settings();
        if let Some(password) = login.password() {
            connection.call("AUTH", cmd("AUTH").arg(login.username()).arg(password)).await?;
        }
        if login.db() != 0 {
            connection.call("SELECT", cmd("SELECT").arg(login.db())).await?;
        }
        connection.ping().await?;
        match connection.reply().await? {
            Reply::Error(text) if text.starts_with("NOAUTH") || text.starts_with("DENIED") => {
                Err(refused("PING", &text))
            }
            // To ping is a right of its own, which we need not have: an error is an answer.
            _ => Ok(connection),
        }
    }

    /// Has a command done.
    pub(crate) async fn call(&mut self, name: &'static str, command: &Cmd) -> Result<(), TransportError> {
        self.exchange(name, &command.get_packed_command(), 1).await
    }

    /// Sends packed commands and waits until each is answered, reading while it writes. The first refusal is the error,
    /// also if the server ends the connection after it.
    pub(crate) async fn exchange(
        &mut self,
        name: &'static str,
        commands: &[u8],
        count: usize,
    ) -> Result<(), TransportError> {
        let mut refusal = None;
        let answered = async {
            for _ in 0..count {
                if let Reply::Error(text) = self.input.reply(&mut self.read).await? {
                    refusal.get_or_insert(text);
                }
            }
            Ok(())
        };
        let (sent, answered) = tokio::join!(send(&mut self.write, commands), answered);
        match refusal {
            Some(text) => Err(refused(name, &text)),
            None => sent.and(answered),
        }
    }

    /// Asks for a reply, and does not wait for it.
    pub(crate) async fn ping(&mut self) -> Result<(), TransportError> {
        send(&mut self.write, &cmd("PING").get_packed_command()).await
    }

    /// The next reply.
    ///
    /// # Cancel safety
    /// Nothing is lost when it is dropped.
    pub(crate) async fn reply(&mut self) -> Result<Reply, TransportError> {
        self.input.reply(&mut self.read).await
    }

    /// The next reply if it is here already.
    pub(crate) fn buffered(&mut self) -> Result<Option<Reply>, TransportError> {
        match resp::next(&mut self.input.buffer).map_err(malformed)? {
            Next::Reply(reply) => Ok(Some(reply)),
            Next::Missing(_) => Ok(None),
        }
    }

    /// When the server last said something.
    pub(crate) fn heard(&self) -> Instant {
        self.input.heard
    }
}

impl Input {
    async fn reply(&mut self, read: &mut ReadHalf<Box<dyn Socket>>) -> Result<Reply, TransportError> {
        loop {
            match resp::next(&mut self.buffer).map_err(malformed)? {
                Next::Reply(reply) => return Ok(reply),
                Next::Missing(bytes) => self.make_room(bytes),
            }
            if read.read_buf(&mut self.buffer).await.map_err(broken)? == 0 {
                return Err(ended());
            }
            self.heard = Instant::now();
        }
    }

    /// Payloads keep the buffer that they came in, so that it is filled before another is begun.
    fn make_room(&mut self, bytes: usize) {
        let room = self.buffer.capacity() - self.buffer.len();
        if room < bytes.max(LITTLE) {
            self.buffer.reserve(bytes.max(ROOM));
        }
    }
}

/// What comes of it, if it comes in time.
pub(crate) async fn within<T>(
    limit: Duration,
    future: impl Future<Output = Result<T, TransportError>>,
) -> Result<T, TransportError> {
    timeout(limit, future).await.map_err(|_| TransportErrorKind::TimedOut)?
}

async fn send(write: &mut WriteHalf<Box<dyn Socket>>, commands: &[u8]) -> Result<(), TransportError> {
    write.write_all(commands).await.map_err(broken)?;
    write.flush().await.map_err(broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn t12_a_payload_that_waits_keeps_no_more_than_its_share_of_a_buffer() {
        let (mut server, client) = tokio::io::duplex(ROOM);
        let (mut read, _write) = split(Box::new(client) as Box<dyn Socket>);
        let mut input = Input { buffer: BytesMut::with_capacity(ROOM), heard: Instant::now() };
        let (mut waiting, mut buffers, mut last) = (Vec::new(), 0, 0);
        for _ in 0..10_000 {
            let message = b"*3\r\n$7\r\nmessage\r\n$4\r\nshop\r\n$10\r\n0123456789\r\n";
            server.write_all(message).await.expect("written");
            let Reply::Message(payload) = input.reply(&mut read).await.expect("a reply") else { panic!("no message") };
            let place = payload.as_ptr().addr();
            buffers += usize::from(place.abs_diff(last) != message.len());
            last = place;
            waiting.push(payload);
        }
        assert!(buffers < 15, "{buffers} buffers for {} payloads", waiting.len());
    }
}
