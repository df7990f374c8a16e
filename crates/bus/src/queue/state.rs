//! [`State`]: what is in a queue, what is dropped, and what may start next. No clock, no task, no lock.

use std::collections::VecDeque;

use crate::queue::Overflow;

/// The first `capacity` items have room; those behind them wait for it, in order.
#[derive(Debug)]
pub(crate) struct State<I> {
    items: VecDeque<I>,
    capacity: usize,
    concurrency: usize,
    running: usize,
    working: bool,
    dropped: u64,
}

/// What came of an offer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Offer<I> {
    Taken,
    /// This one was dropped: the new one, or the oldest.
    Dropped(I),
}

impl<I> State<I> {
    /// A queue of at least one place, worked off at least one at a time.
    pub(crate) fn new(capacity: usize, concurrency: usize) -> Self {
        Self {
            items: VecDeque::new(),
            capacity: capacity.max(1),
            concurrency: concurrency.max(1),
            running: 0,
            working: false,
            dropped: 0,
        }
    }

    /// Puts an item at the end. `wait` is asked only in a full queue with [`Overflow::Wait`]: it prepares the item for
    /// waiting, or says `None` if it must not wait, and then the item is dropped.
    pub(crate) fn offer(
        &mut self,
        mut item: I,
        overflow: Overflow,
        wait: impl FnOnce(&mut I) -> Option<()>,
    ) -> Offer<I> {
        if self.items.len() < self.capacity {
            self.items.push_back(item);
            return Offer::Taken;
        }
        let dropped = match overflow {
            Overflow::Wait if wait(&mut item).is_some() => {
                self.items.push_back(item);
                return Offer::Taken;
            }
            Overflow::Wait | Overflow::DropNewest => Some(item),
            Overflow::DropOldest => {
                self.items.push_back(item);
                self.items.pop_front()
            }
        };
        match dropped {
            None => Offer::Taken,
            Some(item) => {
                self.dropped += 1;
                Offer::Dropped(item)
            }
        }
    }

    /// The next item to handle, if another may start. `admit` is told of the item that got room by it; an item whose
    /// answer is false has been given up by its emit, and leaves.
    pub(crate) fn next(&mut self, mut admit: impl FnMut(&mut I) -> bool) -> Option<I> {
        if self.running == self.concurrency {
            return None;
        }
        let item = self.items.pop_front()?;
        self.running += 1;
        while let Some(newcomer) = self.items.get_mut(self.capacity - 1) {
            if admit(newcomer) {
                break;
            }
            self.items.remove(self.capacity - 1);
        }
        Some(item)
    }

    /// An item was handled.
    pub(crate) fn done(&mut self) {
        self.running -= 1;
    }

    /// Whether a worker must be started: there is something to do and nobody at it. The caller starts one.
    pub(crate) fn needs_worker(&mut self) -> bool {
        let needed = !self.working && !self.items.is_empty();
        self.working |= needed;
        needed
    }

    /// The worker is about to leave; true if it may: nothing is left to do.
    pub(crate) fn may_leave(&mut self) -> bool {
        let idle = self.items.is_empty() && self.running == 0;
        self.working = !idle;
        idle
    }

    /// What ran was dropped.
    pub(crate) fn forget_running(&mut self) {
        self.running = 0;
    }

    /// The worker was dropped with its runtime in the middle of its work; what it ran is lost, the rest is not.
    pub(crate) fn abandon(&mut self) {
        self.forget_running();
        self.working = false;
    }

    /// Takes all that waits: its handler was removed, or time is up.
    pub(crate) fn clear(&mut self) -> VecDeque<I> {
        self.dropped += self.items.len() as u64;
        std::mem::take(&mut self.items)
    }

    pub(crate) fn depth(&self) -> usize {
        self.items.len().min(self.capacity)
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(overflow: Overflow) -> (State<u32>, Vec<Offer<u32>>) {
        let mut state = State::new(2, 1);
        let offers = (1..=4).map(|item| state.offer(item, overflow, |_| Some(()))).collect();
        (state, offers)
    }

    fn drain(state: &mut State<u32>) -> Vec<u32> {
        std::iter::from_fn(|| {
            let item = state.next(|_| true)?;
            state.done();
            Some(item)
        })
        .collect()
    }

    #[test]
    fn b14_drop_newest_keeps_the_first() {
        let (mut state, offers) = full(Overflow::DropNewest);
        assert_eq!(offers, [Offer::Taken, Offer::Taken, Offer::Dropped(3), Offer::Dropped(4)]);
        assert_eq!((drain(&mut state), state.dropped()), (vec![1, 2], 2));
    }

    #[test]
    fn b14_drop_oldest_keeps_the_last() {
        let (mut state, offers) = full(Overflow::DropOldest);
        assert_eq!(offers, [Offer::Taken, Offer::Taken, Offer::Dropped(1), Offer::Dropped(2)]);
        assert_eq!((drain(&mut state), state.dropped()), (vec![3, 4], 2));
    }

    #[test]
    fn b14_wait_keeps_all_in_order_and_admits_one_for_each_that_leaves() {
        let (mut state, _) = full(Overflow::Wait);
        let mut admitted = Vec::new();
        assert_eq!(state.depth(), 2);
        while let Some(item) = state.next(|newcomer| {
            admitted.push(*newcomer);
            true
        }) {
            assert_eq!(admitted.last().copied().unwrap_or(item + 2).min(4), (item + 2).min(4));
            state.done();
        }
        assert_eq!(admitted, [3, 4]);
    }

    #[test]
    fn b14_an_item_whose_emit_was_dropped_leaves() {
        let (mut state, _) = full(Overflow::Wait);
        assert_eq!(state.next(|newcomer| *newcomer != 3), Some(1));
        state.done();
        assert_eq!(drain(&mut state), [2, 4]);
    }

    #[test]
    fn b14_wait_that_can_never_end_drops_the_newest() {
        let mut state = State::new(1, 1);
        assert_eq!(state.offer(1, Overflow::Wait, |_| None), Offer::Taken);
        assert_eq!(state.offer(2, Overflow::Wait, |_| None), Offer::Dropped(2));
    }

    #[test]
    fn b14_concurrency_bounds_what_runs() {
        let mut state = State::new(8, 2);
        for item in 1..=3 {
            state.offer(item, Overflow::Wait, |_| Some(()));
        }
        assert_eq!((state.next(|_| true), state.next(|_| true), state.next(|_| true)), (Some(1), Some(2), None));
        state.done();
        assert_eq!(state.next(|_| true), Some(3));
    }
}
