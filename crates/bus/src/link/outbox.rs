//! [`Outbox`]: the bounded queue between emits and the server (promise T2).

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{self, Poll, Waker};

use tokio::sync::Notify;

use crate::context::EventName;
use crate::envelope::Tail;

/// Events on their way out.
#[derive(Debug)]
pub(super) struct Outbox {
    state: Mutex<State>,
    limits: Limits,
    /// Tells those who wait for room.
    drained: Notify,
}

/// How much an outbox holds, and what goes when it is full.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) frames: usize,
    pub(super) bytes: usize,
    pub(super) drop_newest: bool,
}

/// An event that waits to be sent.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) sequence: u64,
    pub(super) name: EventName,
    pub(super) tail: Tail,
    pub(super) bytes: usize,
}

#[derive(Debug, Default)]
struct State {
    entries: VecDeque<Entry>,
    bytes: usize,
    /// Taken by the sender, and not known to be published.
    in_flight: usize,
    last_sequence: u64,
    dropped: u64,
    closed: bool,
    sender: Option<Waker>,
}

/// What became of an event that was offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offered {
    Taken,
    /// The outbox is full, and keeps what it has.
    Dropped,
    Closed,
}

/// How full an outbox is, and what it dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Depth {
    pub(super) frames: usize,
    pub(super) bytes: usize,
    pub(super) dropped: u64,
}

impl Outbox {
    pub(super) fn new(limits: Limits) -> Self {
        Self { state: Mutex::default(), limits, drained: Notify::new() }
    }

    /// Gives the event its number and its place. The number is used up also if the event is dropped, so that the other
    /// nodes see the hole (promise T7).
    pub(super) fn offer(&self, name: EventName, tail: Tail, bytes: usize) -> Offered {
        let mut state = self.lock();
        if state.closed {
            return Offered::Closed;
        }
        state.last_sequence += 1;
        let entry = Entry { sequence: state.last_sequence, name, tail, bytes };
        if self.limits.drop_newest && !state.entries.is_empty() && self.limits.exceeded(&state, bytes) {
            state.dropped += 1;
            return Offered::Dropped;
        }
        let mut evicted = Vec::new();
        while !state.entries.is_empty() && self.limits.exceeded(&state, bytes) {
            evicted.extend(state.pop());
        }
        state.dropped += evicted.len() as u64;
        state.bytes += bytes;
        state.entries.push_back(entry);
        let sender = state.sender.take();
        drop(state);
        if let Some(sender) = sender {
            sender.wake();
        }
        Offered::Taken
    }

    /// Takes the oldest entries, at most so many and so many bytes, but at least one; waits while there is none. `None`
    /// when the outbox is closed and empty.
    pub(super) async fn take(&self, frames: usize, bytes: usize) -> Option<Vec<Entry>> {
        poll_fn(|task| self.poll_take(frames, bytes, task)).await
    }

    fn poll_take(&self, frames: usize, bytes: usize, task: &task::Context<'_>) -> Poll<Option<Vec<Entry>>> {
        let mut state = self.lock();
        if state.entries.is_empty() {
            if state.closed {
                return Poll::Ready(None);
            }
            state.sender = Some(task.waker().clone());
            return Poll::Pending;
        }
        let mut batch = Vec::with_capacity(frames.min(state.entries.len()));
        let mut left = bytes;
        while batch.len() < frames {
            let fits = state.entries.front().is_some_and(|next| next.bytes <= left || batch.is_empty());
            let Some(entry) = fits.then(|| state.pop()).flatten() else { break };
            left = left.saturating_sub(entry.bytes);
            batch.push(entry);
        }
        state.in_flight = batch.len();
        let roomy = self.limits.is_roomy(&state);
        drop(state);
        if roomy {
            self.drained.notify_waiters();
        }
        Poll::Ready(Some(batch))
    }

    /// What was taken is published, or given up.
    pub(super) fn settled(&self, frames: usize) {
        let mut state = self.lock();
        state.in_flight = state.in_flight.saturating_sub(frames);
    }

    /// Waits until it is at most half full, or closed.
    pub(super) async fn room(&self) {
        loop {
            let drained = self.drained.notified();
            {
                let state = self.lock();
                if state.closed || self.limits.is_roomy(&state) {
                    return;
                }
            }
            drained.await;
        }
    }

    /// Takes no more.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let sender = state.sender.take();
        drop(state);
        if let Some(sender) = sender {
            sender.wake();
        }
        self.drained.notify_waiters();
    }

    /// The last number before those that wait: what was sent, or dropped. Events that wait come after it.
    pub(super) fn last_gone(&self) -> u64 {
        let state = self.lock();
        state.entries.front().map_or(state.last_sequence, |next| next.sequence - 1)
    }

    /// How many events are not known to be published.
    pub(super) fn unsent(&self) -> usize {
        let state = self.lock();
        state.entries.len() + state.in_flight
    }

    pub(super) fn depth(&self) -> Depth {
        let state = self.lock();
        Depth { frames: state.entries.len(), bytes: state.bytes, dropped: state.dropped }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Limits {
    /// Whether one more entry of `bytes` is too much.
    fn exceeded(&self, state: &State, bytes: usize) -> bool {
        state.entries.len() >= self.frames || state.bytes.saturating_add(bytes) > self.bytes
    }

    fn is_roomy(&self, state: &State) -> bool {
        state.entries.len() <= self.frames / 2 && state.bytes <= self.bytes / 2
    }
}

impl State {
    fn pop(&mut self) -> Option<Entry> {
        let entry = self.entries.pop_front()?;
        self.bytes -= entry.bytes;
        Some(entry)
    }
}

#[cfg(test)]
mod tests {

    use futures_util::FutureExt;

    use super::*;
    use crate::context::Context;

    fn outbox(frames: usize, bytes: usize, drop_newest: bool) -> Outbox {
        Outbox::new(Limits { frames, bytes, drop_newest })
    }

    fn offer(outbox: &Outbox, bytes: usize) -> Offered {
        let context = Context::new(EventName::Static("a"), 1, None, (None, None));
        let tail = Tail::new(&context, 0, |json| {
            json.extend_from_slice(b"null");
            Ok(true)
        });
        outbox.offer(EventName::Static("a"), tail.unwrap().unwrap(), bytes)
    }

    fn take(outbox: &Outbox, frames: usize, bytes: usize) -> Option<Vec<u64>> {
        let batch = outbox.take(frames, bytes).now_or_never()?;
        Some(batch.unwrap_or_default().iter().map(|entry| entry.sequence).collect())
    }

    #[test]
    fn t02_a_full_outbox_drops_the_oldest_and_its_number_is_used_up() {
        let outbox = outbox(3, 1000, false);
        (0..5).for_each(|_| assert_eq!(offer(&outbox, 10), Offered::Taken));
        assert_eq!(outbox.depth(), Depth { frames: 3, bytes: 30, dropped: 2 });
        assert_eq!(take(&outbox, 10, 1000), Some(vec![3, 4, 5]));
    }

    #[test]
    fn t02_or_the_newest_by_choice() {
        let outbox = outbox(3, 1000, true);
        (0..3).for_each(|_| assert_eq!(offer(&outbox, 10), Offered::Taken));
        (0..2).for_each(|_| assert_eq!(offer(&outbox, 10), Offered::Dropped));
        assert_eq!(take(&outbox, 10, 1000), Some(vec![1, 2, 3]));
        offer(&outbox, 10);
        assert_eq!(take(&outbox, 10, 1000), Some(vec![6]));
    }

    #[test]
    fn t02_bytes_are_bounded_too_but_one_event_always_has_room() {
        let outbox = outbox(100, 50, false);
        (0..3).for_each(|_| assert_eq!(offer(&outbox, 20), Offered::Taken));
        assert_eq!(outbox.depth(), Depth { frames: 2, bytes: 40, dropped: 1 });
        assert_eq!(offer(&outbox, 90), Offered::Taken);
        assert_eq!(outbox.depth(), Depth { frames: 1, bytes: 90, dropped: 3 });
        assert_eq!(take(&outbox, 10, 30), Some(vec![4]));
    }

    #[test]
    fn t11_a_closed_outbox_gives_what_it_has_and_takes_no_more() {
        let outbox = outbox(10, 1000, false);
        (0..3).for_each(|_| assert_eq!(offer(&outbox, 10), Offered::Taken));
        outbox.close();
        assert_eq!(offer(&outbox, 10), Offered::Closed);
        assert_eq!(take(&outbox, 2, 1000), Some(vec![1, 2]));
        assert_eq!(outbox.unsent(), 3);
        outbox.settled(2);
        assert_eq!(outbox.unsent(), 1);
        assert_eq!(take(&outbox, 2, 1000), Some(vec![3]));
        assert_eq!(take(&outbox, 2, 1000), Some(vec![]));
    }

    #[test]
    fn t07_a_beat_does_not_run_ahead_of_what_waits() {
        let outbox = outbox(3, 1000, false);
        assert_eq!(outbox.last_gone(), 0);
        (0..5).for_each(|_| assert_eq!(offer(&outbox, 10), Offered::Taken));
        assert_eq!(outbox.last_gone(), 2);
        assert_eq!(take(&outbox, 10, 1000), Some(vec![3, 4, 5]));
        assert_eq!(outbox.last_gone(), 5);
    }

    #[test]
    fn t02_room_is_when_it_is_half_empty() {
        let outbox = outbox(4, 1000, false);
        (0..3).for_each(|_| assert_eq!(offer(&outbox, 10), Offered::Taken));
        let mut room = Box::pin(outbox.room());
        assert!(room.as_mut().now_or_never().is_none());
        assert_eq!(take(&outbox, 1, 1000), Some(vec![1]));
        assert!(room.now_or_never().is_some());
    }
}
