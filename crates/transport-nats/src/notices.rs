//! [`Notices`]: what the client tells of its connection, for those who wait for it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use async_nats::{Event, ServerError};
use futures_util::task::AtomicWaker;

/// The shortest time between two complaints in the log.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Wakes the stream at each of the client's events. Events may be lost, so they only wake: the state is asked for.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    stream: AtomicWaker,
    connected: AtomicBool,
    refusals: AtomicU64,
    complaint: Mutex<Complaint>,
}

/// What went wrong last, if it is to be logged.
#[derive(Debug, Default)]
struct Complaint {
    text: Option<String>,
    last: Option<Instant>,
}

impl Notices {
    /// Takes one of the client's events. Returns at once: the client drops events while this is busy.
    pub(crate) fn take(&self, event: &Event) {
        match event {
            Event::Connected => self.connected.store(true, Ordering::Relaxed),
            Event::ServerError(error) => self.take_error(error),
            Event::ClientError(error) => self.complain(error.to_string()),
            _ => {}
        }
        self.stream.wake();
    }

    /// Wakes this one at the next event.
    pub(crate) fn register(&self, waker: &Waker) {
        self.stream.register(waker);
    }

    /// Whether there has been a connection.
    pub(crate) fn connected(&self) -> bool {
        self.connected.load(Ordering::Relaxed)
    }

    /// How often the server has refused a right.
    pub(crate) fn refusals(&self) -> u64 {
        self.refusals.load(Ordering::Acquire)
    }

    /// Logs what went wrong. Not done in [`take`](Self::take), whose thread logs nothing.
    pub(crate) fn log(&self) {
        let text = self.complaint.lock().unwrap_or_else(PoisonError::into_inner).text.take();
        if let Some(text) = text {
            tracing::warn!(target: "oyez", error = %text, "trouble with the NATS server");
        }
    }

    fn take_error(&self, error: &ServerError) {
        let text = error.to_string();
        if *error == ServerError::AuthorizationViolation || text.to_lowercase().contains("permissions") {
            self.refusals.fetch_add(1, Ordering::Release);
        }
        self.complain(text);
    }

    fn complain(&self, text: String) {
        let mut complaint = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if complaint.last.is_none_or(|last| now.duration_since(last) >= BETWEEN_LINES) {
            *complaint = Complaint { text: Some(text), last: Some(now) };
        }
    }
}
