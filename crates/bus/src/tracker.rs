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

    /// Whether work of `epoch` is this tracker's.
    pub(crate) fn counts(&self, epoch: Epoch) -> bool {
        epoch.tracker == self.id
    }

    /// Counts one piece of work until the ticket is dropped.
    pub(crate) fn ticket(self: &Arc<Self>, work: Work, inherited: Option<Epoch>) -> Ticket {
        let mut state = self.lock();
        let inherited = inherited.filter(|epoch| self.counts(*epoch));
        let epoch = inherited.unwrap_or(Epoch { tracker: self.id, number: state.epoch });
        *state.open.entry(epoch.number).or_default().of(work) += 1;
        drop(state);
        Ticket { tracker: Arc::clone(self), epoch, work }
    }

    /// Waits until all work that began before this call is done, and all that it caused.
    pub(crate) async fn settled(&self) {
        let epoch = {
            let mut state = self.lock();
            state.epoch += 1;
            state.epoch
        };
        self.until(|state| state.open.range(..epoch).next().is_none()).await;
    }

    /// Waits until no work is open.
    pub(crate) async fn idle(&self) {
        self.until(|state| state.open.is_empty()).await;
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

    async fn until(&self, reached: impl Fn(&State) -> bool) {
        loop {
            let notified = self.changed.notified();
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
