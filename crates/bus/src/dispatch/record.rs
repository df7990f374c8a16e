//! [`Record`]: what the bus knows of one subscription, whatever its event type.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::dispatch::isolate::isolated;
use crate::failure::{Failure, HandlerError};
use crate::id::SubscriptionId;

/// One subscription: its identity, whether it is still on, and its counts.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) id: SubscriptionId,
    pub(crate) name: Option<Arc<str>>,
    /// The event name or the pattern it is for.
    pub(crate) target: Arc<str>,
    pub(crate) once: bool,
    state: AtomicU8,
    /// Calls that no list counts (any more).
    calls: AtomicU64,
    /// Turns that the lists counted as calls and that were none.
    passed_over: AtomicU64,
    failures: AtomicU64,
    cancelled: AtomicU64,
    last_error: Mutex<Option<Arc<str>>>,
}

const ON: u8 = 0;
const TAKEN: u8 = 1;
const OFF: u8 = 2;

impl Record {
    pub(crate) fn new(id: SubscriptionId, name: Option<Arc<str>>, target: Arc<str>, once: bool) -> Self {
        Self {
            id,
            name,
            target,
            once,
            state: AtomicU8::new(ON),
            calls: AtomicU64::new(0),
            passed_over: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            cancelled: AtomicU64::new(0),
            last_error: Mutex::new(None),
        }
    }

    /// Whether a new turn may start the handler.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.state.load(Ordering::Acquire) == ON
    }

    /// Whether `off` removed it, which also ends what waits in its queue.
    pub(crate) fn is_off(&self) -> bool {
        self.state.load(Ordering::Acquire) == OFF
    }

    /// Takes the one call of a `once` handler; true for exactly one caller, and then `off` is false (promise B5).
    pub(crate) fn take(&self) -> bool {
        self.leave(TAKEN)
    }

    /// Turns it off; true if it was on (promise B6).
    pub(crate) fn turn_off(&self) -> bool {
        self.leave(OFF)
    }

    fn leave(&self, to: u8) -> bool {
        self.state.compare_exchange(ON, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    pub(crate) fn add_calls(&self, calls: u64) {
        self.calls.fetch_add(calls, Ordering::Relaxed);
    }

    /// A turn was counted in which the handler did not start.
    pub(crate) fn pass_over(&self) {
        self.passed_over.fetch_add(1, Ordering::Relaxed);
    }

    /// How often the handler was started, given what the lists it stands in have counted.
    pub(crate) fn calls(&self, in_lists: u64) -> u64 {
        let turns = self.calls.load(Ordering::Relaxed) + in_lists;
        turns.saturating_sub(self.passed_over.load(Ordering::Relaxed))
    }

    pub(crate) fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// The future of an emit was dropped while the handler waited (promise B2).
    pub(crate) fn cancel(&self) {
        self.cancelled.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn cancelled(&self) -> u64 {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(crate) fn last_error(&self) -> Option<Arc<str>> {
        self.last_error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts and logs a failure (promise B3: once, with the names, never the payload).
    pub(crate) fn fail(&self, event: &str, error: HandlerError) -> Failure {
        let reason = error.reason();
        // A tracing subscriber is the program's code, and may panic too.
        _ = isolated(|| {
            tracing::error!(
                target: "oyez",
                event,
                subscription = self.id.0,
                handler = self.name.as_deref().unwrap_or_default(),
                error = reason,
                "event handler failed"
            );
        });
        self.failures.fetch_add(1, Ordering::Relaxed);
        *self.last_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.into());
        Failure { subscription: self.id, name: self.name.clone(), error }
    }
}
