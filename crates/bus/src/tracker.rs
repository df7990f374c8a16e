//! [`Tracker`]: counts the work that goes on after its emit has returned, for `settle` and `shutdown` (promise B15).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// A period between two calls of `settle`. Work that is caused by other work is counted in the other's epoch, so that
/// waiting for an epoch waits for all that follows from it, and not for what comes later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Epoch {
    tracker: u64,
    number: u64,
}

/// What kind of work a ticket stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// An event in a handler's queue, or being handled from there.
    Queued,
    /// A posted or detached emit.
    Detached,
}

/// How much work is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Open {
    pub(crate) queued: usize,
    pub(crate) detached: usize,
}

#[derive(Debug)]
pub(crate) struct Tracker {
    /// Tells epochs of different buses apart: a handler of one may emit on another.
    id: u64,
    state: Mutex<State>,
    changed: Notify,
    cut: Notify,
}

#[derive(Debug, Default)]
struct State {
    epoch: u64,
    open: BTreeMap<u64, Open>,
    closed: bool,
    cut: bool,
}

impl Tracker {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            state: Mutex::default(),
            changed: Notify::new(),
            cut: Notify::new(),
        }
    }

    /// Counts one piece of work until the ticket is dropped. `None` after the close, unless the work follows from some
    /// that is open.
    pub(crate) fn ticket(self: &Arc<Self>, work: Work, inherited: Option<Epoch>) -> Option<Ticket> {
        let mut state = self.lock();
        let inherited = inherited.filter(|epoch| epoch.tracker == self.id);
        if state.closed && !inherited.is_some_and(|epoch| state.open.contains_key(&epoch.number)) {
            return None;
        }
        let epoch = inherited.unwrap_or(Epoch { tracker: self.id, number: state.epoch });
        *state.open.entry(epoch.number).or_default().of(work) += 1;
        drop(state);
        Some(Ticket { tracker: Arc::clone(self), epoch, work })
    }

    /// Whether `epoch` is this tracker's, and work of it is open and not cut.
    pub(crate) fn is_open(&self, epoch: Epoch) -> bool {
        let state = self.lock();
        epoch.tracker == self.id && !state.cut && state.open.contains_key(&epoch.number)
    }

    /// Takes no more work but what follows from work that is open.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
    }

    /// Waits until all work that began before this call is done, and all that it caused. `resume` sees to it that
    /// somebody is at that work: it is called at first, and whenever work may have lost its runtime.
    pub(crate) async fn settled(&self, resume: impl Fn()) {
        let epoch = {
            let mut state = self.lock();
            state.epoch += 1;
            state.epoch
        };
        self.until(resume, |state| state.open.range(..epoch).next().is_none()).await;
    }

    /// Waits until no work is open; see [`settled`](Tracker::settled).
    pub(crate) async fn idle(&self, resume: impl Fn()) {
        self.until(resume, |state| state.open.is_empty()).await;
    }

    /// Work was left by a runtime that ended.
    pub(crate) fn left(&self) {
        self.changed.notify_waiters();
    }

    /// Makes every [`cut`](Tracker::until_cut) resolve, and says how much work is open.
    pub(crate) fn cut(&self) -> Open {
        let mut state = self.lock();
        state.cut = true;
        let total = state.open.values().fold(Open::default(), |sum, open| Open {
            queued: sum.queued + open.queued,
            detached: sum.detached + open.detached,
        });
        drop(state);
        self.cut.notify_waiters();
        total
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.lock().cut
    }

    /// Resolves when shutdown has run out of time.
    pub(crate) async fn until_cut(&self) {
        loop {
            let notified = self.cut.notified();
            if self.is_cut() {
                return;
            }
            notified.await;
        }
    }

    async fn until(&self, resume: impl Fn(), reached: impl Fn(&State) -> bool) {
        loop {
            let notified = self.changed.notified();
            resume();
            if reached(&self.lock()) {
                return;
            }
            notified.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn of(&mut self, work: Work) -> &mut usize {
        match work {
            Work::Queued => &mut self.queued,
            Work::Detached => &mut self.detached,
        }
    }
}

/// One piece of counted work.
#[derive(Debug)]
pub(crate) struct Ticket {
    tracker: Arc<Tracker>,
    epoch: Epoch,
    work: Work,
}

impl Ticket {
    pub(crate) fn epoch(&self) -> Epoch {
        self.epoch
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut state = self.tracker.lock();
        if let Some(open) = state.open.get_mut(&self.epoch.number) {
            *open.of(self.work) -= 1;
            if *open == Open::default() {
                state.open.remove(&self.epoch.number);
                drop(state);
                self.tracker.changed.notify_waiters();
            }
        }
    }
}
