//! [`MemoryLog`]: a log that is gone with its process, for tests and as the model of all others.

mod events;
mod work;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use tokio::sync::watch;
use tokio::time::Instant;

use self::events::Events;
use self::work::Work;
use crate::log::{Appended, ConsumerStatus, Count, Draft, Log, LogError, LogErrorKind, Page, Read};
use crate::protocol::{
    self, Answer, Lease, Millis, Now, Position, Refusal, Registered, Registration, State, Step, Token, register,
};

/// A log in memory. Its clock is tokio's: in a test with paused time, leases and retries need no waiting.
///
/// Clones are the same log.
#[derive(Clone)]
pub struct MemoryLog {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<Inner>,
    head: watch::Sender<Position>,
    epoch: (Instant, Millis),
}

#[derive(Default)]
struct Inner {
    events: Events,
    numbers: BTreeMap<Arc<str>, i64>,
    work: BTreeMap<i64, Work>,
}

impl MemoryLog {
    /// An empty log.
    #[must_use]
    pub fn new() -> Self {
        let epoch = (Instant::now(), protocol::wall(SystemTime::now()));
        let shared = Shared { state: Mutex::default(), head: watch::Sender::new(0), epoch };
        Self { shared: Arc::new(shared) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn clock(&self) -> Now {
        let (start, wall) = self.shared.epoch;
        let passed = protocol::millis(start.elapsed());
        // A lease is never at zero, which is the past of every clock.
        Now { wall: wall + passed, lease: Lease { boot: 1, at: passed + 1 } }
    }

    /// Changes the events, and tells of a new head.
    fn write<T>(&self, change: impl FnOnce(&mut Events, Millis) -> T) -> T {
        let now = self.clock().wall;
        let mut inner = self.lock();
        let changed = change(&mut inner.events, now);
        let head = inner.events.head();
        drop(inner);
        self.shared.head.send_if_modified(|known| std::mem::replace(known, head) != head);
        changed
    }

    fn register_now(&self, asked: &Registration) -> Result<Registered, Refusal> {
        let inner = &mut *self.lock();
        let head = inner.events.head();
        let stored = inner.numbers.get(&asked.consumer).copied();
        let work = stored.and_then(|number| inner.work.get(&number));
        let first = inner.events.before(asked.start);
        let settled = work.filter(|work| !work.is_open()).and_then(|work| match work.row.settings.ordered {
            false => Some(work.head(protocol::Lane::ALL)),
            true => work.waiting(&inner.events).next().is_none().then_some(head),
        });
        let row = register(work.map(|work| work.row.clone()), asked, first, head, settled)?;
        let number = stored.unwrap_or(inner.numbers.len() as i64 + 1);
        inner.numbers.insert(Arc::clone(&asked.consumer), number);
        inner.work.entry(number).or_insert_with(|| Work::new(row.clone())).row = row.clone();
        Ok(Registered { consumer: number, row, created: stored.is_none() })
    }

    fn step_now(&self, consumer: i64, step: &Step) -> Result<Answer, LogError> {
        let now = self.clock();
        let inner = &mut *self.lock();
        let work = inner.work.get_mut(&consumer).ok_or_else(|| LogError::new(LogErrorKind::NoConsumer))?;
        let rows = work.fetch(&protocol::needs(step), now);
        let (changes, answer) = protocol::decide(step, &rows, now);
        work.store(changes);
        Ok(answer)
    }

    fn status_now(&self, consumer: &str) -> Option<ConsumerStatus> {
        let inner = self.lock();
        let work = inner.work.get(inner.numbers.get(consumer)?)?;
        let mut status = ConsumerStatus { head: inner.events.head(), ..ConsumerStatus::default() };
        let mut counts = work.counts(&inner.events);
        let scheduled = inner.events.scheduled().filter(|name| work.row.types.contains_key(*name)).count();
        counts.insert(State::Scheduled, scheduled as u64);
        counts.retain(|_, count| *count > 0);
        status.counts = counts.into_iter().map(|(state, count)| (state, Count::of(count))).collect();
        status.oldest_waiting = work.waiting(&inner.events).map(|event| event.record.at).min();
        Some(status)
    }
}

impl Log for MemoryLog {
    fn append(&self, drafts: Vec<Draft>) -> BoxFuture<'_, Result<Vec<Appended>, LogError>> {
        ready(self.write(|events, now| events.append(drafts, now))).boxed()
    }

    fn advance(&self) -> BoxFuture<'_, Result<Option<Millis>, LogError>> {
        ready(Ok(self.write(Events::advance))).boxed()
    }

    fn read(&self, read: Read) -> BoxFuture<'_, Result<Page, LogError>> {
        ready(Ok(self.lock().events.read(&read))).boxed()
    }

    fn register(&self, registration: Registration) -> BoxFuture<'_, Result<Result<Registered, Refusal>, LogError>> {
        ready(Ok(self.register_now(&registration))).boxed()
    }

    fn step(&self, consumer: i64, step: Step) -> BoxFuture<'_, Result<Answer, LogError>> {
        ready(self.step_now(consumer, &step)).boxed()
    }

    fn renew(&self, tokens: Vec<(i64, Token)>, lease: Duration) -> BoxFuture<'_, Result<Vec<Token>, LogError>> {
        let until = self.clock().lease.after(lease);
        let inner = &mut *self.lock();
        let lost = tokens.into_iter().filter(|(consumer, token)| {
            let work = inner.work.get_mut(consumer);
            !work.is_some_and(|work| work.renew(*token, until))
        });
        ready(Ok(lost.map(|(_, token)| token).collect())).boxed()
    }

    fn status(&self, consumer: String) -> BoxFuture<'_, Result<Option<ConsumerStatus>, LogError>> {
        ready(Ok(self.status_now(&consumer))).boxed()
    }

    fn now(&self) -> Millis {
        self.clock().wall
    }

    fn head(&self) -> watch::Receiver<Position> {
        self.shared.head.subscribe()
    }
}

impl Default for MemoryLog {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryLog").field("head", &self.lock().events.head()).finish_non_exhaustive()
    }
}
