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
    offered: u64,
    dropped: u64,
}

/// What came of an offer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Offer<I> {
    Taken,
    /// It was taken, and this one was dropped for it.
    DroppedOldest(I),
    /// It was dropped.
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
            offered: 0,
            dropped: 0,
        }
    }

    /// Puts an item at the end. `wait` is asked only in a full queue with [`Overflow::Wait`]: it prepares the item, of
    /// which it is told a number of its own, for waiting, or says `None` if it must not wait, and then it is dropped.
    pub(crate) fn offer(
        &mut self,
        mut item: I,
        overflow: Overflow,
        wait: impl FnOnce(&mut I, u64) -> Option<()>,
    ) -> Offer<I> {
        self.offered += 1;
        let full = self.items.len() >= self.capacity;
        if full
            && (overflow == Overflow::DropNewest
                || overflow == Overflow::Wait && wait(&mut item, self.offered).is_none())
        {
            self.dropped += 1;
            return Offer::Dropped(item);
        }
        self.items.push_back(item);
        match self.items.pop_front_if(|_| full && overflow == Overflow::DropOldest) {
            Some(oldest) => {
                self.dropped += 1;
                Offer::DroppedOldest(oldest)
            }
            None => Offer::Taken,
        }
    }

    /// The next item to handle, if another may start. `admit` is told of the item that got room by it.
    pub(crate) fn next(&mut self, admit: impl FnOnce(&mut I)) -> Option<I> {
        if self.running == self.concurrency {
            return None;
        }
        let item = self.items.pop_front()?;
        self.running += 1;
        self.items.get_mut(self.capacity - 1).map(admit);
        Some(item)
    }

    /// Takes out an item that waits for room, for which `waits` is true.
    pub(crate) fn give_up(&mut self, waits: impl FnMut(&I) -> bool) -> Option<I> {
        let at = self.items.iter().skip(self.capacity).position(waits)?;
        self.items.remove(self.capacity + at)
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
        let offers = (1..=4).map(|item| state.offer(item, overflow, |_, _| Some(()))).collect();
        (state, offers)
    }

    fn drain(state: &mut State<u32>) -> Vec<u32> {
        std::iter::from_fn(|| {
            let item = state.next(|_| {})?;
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
        assert_eq!(offers, [Offer::Taken, Offer::Taken, Offer::DroppedOldest(1), Offer::DroppedOldest(2)]);
        assert_eq!((drain(&mut state), state.dropped()), (vec![3, 4], 2));
    }

    #[test]
    fn b14_wait_keeps_all_in_order_and_admits_one_for_each_that_leaves() {
        let (mut state, _) = full(Overflow::Wait);
        assert_eq!(state.depth(), 2);
        let mut seen = Vec::new();
        while let Some(item) = state.next(|newcomer| seen.push(("admitted", *newcomer))) {
            seen.push(("handled", item));
            state.done();
        }
        let expected =
            [("admitted", 3), ("handled", 1), ("admitted", 4), ("handled", 2), ("handled", 3), ("handled", 4)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn b14_an_item_whose_emit_was_dropped_leaves_if_it_still_waits() {
        let (mut state, _) = full(Overflow::Wait);
        assert_eq!(state.give_up(|item| *item == 3), Some(3));
        assert_eq!(state.give_up(|item| *item == 2), None, "it has room");
        assert_eq!(drain(&mut state), [1, 2, 4]);
    }

    #[test]
    fn b14_wait_that_can_never_end_drops_the_newest() {
        let mut state = State::new(1, 1);
        assert_eq!(state.offer(1, Overflow::Wait, |_, _| None), Offer::Taken);
        assert_eq!(state.offer(2, Overflow::Wait, |_, _| None), Offer::Dropped(2));
    }

    #[test]
    fn b14_concurrency_bounds_what_runs() {
        let mut state = State::new(8, 2);
        for item in 1..=3 {
            state.offer(item, Overflow::Wait, |_, _| Some(()));
        }
        assert_eq!((state.next(|_| {}), state.next(|_| {}), state.next(|_| {})), (Some(1), Some(2), None));
        state.done();
        assert_eq!(state.next(|_| {}), Some(3));
    }
}
