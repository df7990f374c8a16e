//! [`Publisher`]: the connection that publishes.

use std::io::Write;
use std::time::Duration;

use oyez_bus::transport::{Frame, TransportError, TransportErrorKind};

use crate::connection::{Connection, within};
use crate::settings::Settings;

/// How long the answers to a batch may take, and how much longer for each MiB of it.
const ANSWERED_WITHIN: Duration = Duration::from_secs(5);
const FOR_EACH_MIB: Duration = Duration::from_secs(1);
const MIB: usize = 1024 * 1024;
/// The buffer of a larger batch is not kept.
const KEPT: usize = 4 * MIB;

/// Publishes batches, on a connection that is replaced when it fails.
pub(crate) struct Publisher {
    connection: Option<Connection>,
    /// All of a command that comes before the payload's length.
    head: Vec<u8>,
    batch: Vec<u8>,
}

impl Publisher {
    pub(crate) fn new(prefix: &str, connection: Connection) -> Self {
        let head = format!("*3\r\n$7\r\nPUBLISH\r\n${}\r\n{prefix}\r\n$", prefix.len()).into_bytes();
        Self { connection: Some(connection), head, batch: Vec::new() }
    }

    /// Publishes the frames in one round trip; the server's answer to each is its confirmation.
    ///
    /// # Cancel safety
    /// The connection goes with a call that is dropped; what was sent may have arrived.
    pub(crate) async fn publish(&mut self, settings: &Settings, frames: &[Frame]) -> Result<(), TransportError> {
        self.pack(settings.max_payload, frames)?;
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open(settings).await?,
        };
        let answered = connection.exchange("PUBLISH", &self.batch, frames.len());
        within(patience(self.batch.len()), answered).await?;
        self.connection = Some(connection);
        Ok(())
    }

    /// Ends the connection.
    pub(crate) fn close(&mut self) {
        self.connection = None;
    }

    fn pack(&mut self, max_payload: usize, frames: &[Frame]) -> Result<(), TransportError> {
        self.batch.clear();
        self.batch.shrink_to(KEPT);
        for payload in frames.iter().map(Frame::payload) {
            if payload.len() > max_payload {
                return Err(TransportErrorKind::TooLarge.into());
            }
            self.batch.extend_from_slice(&self.head);
            // Writing to a vector cannot fail.
            _ = write!(self.batch, "{}\r\n", payload.len());
            self.batch.extend_from_slice(payload);
            self.batch.extend_from_slice(b"\r\n");
        }
        Ok(())
    }
}

/// Some seconds, and more on a slow network for a large batch.
fn patience(bytes: usize) -> Duration {
    ANSWERED_WITHIN + FOR_EACH_MIB.saturating_mul(u32::try_from(bytes / MIB).unwrap_or(u32::MAX))
}
