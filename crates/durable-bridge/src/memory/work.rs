//! The work of one consumer in a [`MemoryLog`](crate::MemoryLog): rows, fetched and stored as an engine does.

use std::collections::{BTreeMap, VecDeque};

use super::events::Events;
use crate::log::Stored;
use crate::protocol::{
    AttemptRow, Changes, ConsumerRow, ExceptionRow, Lane, Lease, Needs, Now, Position, RangeRow, ReceiptRow, Rows,
    State, Token, Which,
};

/// So many attempts of an exception are kept.
const ATTEMPTS: usize = 10;

/// So many receipts are kept of a consumer; what is older is only known to be over.
const RECEIPTS: usize = 10_000;

pub(super) struct Work {
    pub(super) row: ConsumerRow,
    ranges: BTreeMap<(Lane, Position), RangeRow>,
    receipts: BTreeMap<(Lane, Position), ReceiptRow>,
    exceptions: BTreeMap<Position, ExceptionRow>,
    attempts: BTreeMap<Position, VecDeque<AttemptRow>>,
    settled_up_to: BTreeMap<Lane, Position>,
}

impl Work {
    pub(super) fn new(row: ConsumerRow) -> Self {
        Self {
            row,
            ranges: BTreeMap::new(),
            receipts: BTreeMap::new(),
            exceptions: BTreeMap::new(),
            attempts: BTreeMap::new(),
            settled_up_to: BTreeMap::new(),
        }
    }

    pub(super) fn fetch(&self, needs: &Needs, now: Now) -> Rows {
        let (ranges, running) = (needs.ranges, needs.running);
        let retrying = || self.exceptions.values().filter(|row| row.state == State::Retrying);
        let mut due: Vec<_> = retrying().filter(|row| row.due <= now.wall).collect();
        due.sort_by_key(|row| (row.due, row.position));
        let alone = due.iter().find(|row| row.isolated).filter(|_| needs.alone);
        let of_key = |key| {
            let same = move |row: &&ExceptionRow| row.holds && row.key.as_ref() == Some(key);
            self.exceptions.values().filter(same).take(2)
        };
        let is_running = |row: &&ExceptionRow| row.state == State::Running && is_of(running, row.token);
        Rows {
            paused: false,
            types: self.row.types_version,
            ranges: self.ranges.values().filter(|row| is_of(ranges, row.token)).cloned().collect(),
            running: self.exceptions.values().filter(is_running).cloned().collect(),
            alone: alone.copied().cloned(),
            due: due.iter().filter(|row| !row.isolated).take(needs.due).copied().cloned().collect(),
            next_due: retrying().map(|row| row.due).min(),
            heads: needs.heads.iter().map(|lane| (*lane, self.head(*lane))).collect(),
            keyed: needs.keys.iter().flat_map(of_key).cloned().collect(),
        }
    }

    pub(super) fn store(&mut self, changes: Changes) {
        changes.ranges_deleted.iter().for_each(|key| _ = self.ranges.remove(key));
        self.ranges.extend(changes.ranges.into_iter().map(|row| ((row.lane, row.span.lo), row)));
        self.receipts.extend(changes.receipts.into_iter().map(|row| ((row.lane, row.span.lo), row)));
        changes.exceptions_deleted.iter().for_each(|position| _ = self.exceptions.remove(position));
        self.exceptions.extend(changes.exceptions.into_iter().map(|row| (row.position, row)));
        for attempt in changes.attempts {
            let attempts = self.attempts.entry(attempt.position).or_default();
            attempts.push_back(attempt);
            if attempts.len() > ATTEMPTS {
                attempts.pop_front();
            }
        }
        while self.receipts.len() > RECEIPTS
            && let Some((_, oldest)) = self.receipts.pop_first()
        {
            let settled = self.settled_up_to.entry(oldest.lane).or_default();
            *settled = oldest.span.hi.max(*settled);
        }
    }

    /// The last position of the lane that is claimed, settled, or not the consumer's business.
    pub(super) fn head(&self, lane: Lane) -> Position {
        let last = |last: Option<Position>| last.unwrap_or(0);
        let of_lane = (lane, 0)..=(lane, Position::MAX);
        let range = last(self.ranges.range(of_lane.clone()).next_back().map(|(_, row)| row.span.hi));
        let receipt = last(self.receipts.range(of_lane).next_back().map(|(_, row)| row.span.hi));
        let folded = last(self.settled_up_to.get(&lane).copied());
        range.max(receipt).max(folded).max(self.row.start)
    }

    pub(super) fn renew(&mut self, token: Token, until: Lease) -> bool {
        let ranges = self.ranges.values_mut().filter(|row| row.token == Some(token)).map(|row| &mut row.lease_until);
        let running = self.exceptions.values_mut().filter(|row| row.token == Some(token));
        let leases = ranges.chain(running.map(|row| &mut row.lease_until));
        leases.map(|lease| *lease = until).count() > 0
    }

    /// Whether anything is neither over nor waiting.
    pub(super) fn is_open(&self) -> bool {
        let open = |row: &ExceptionRow| matches!(row.state, State::Running | State::Retrying | State::Parked);
        !self.ranges.is_empty() || self.exceptions.values().any(open)
    }

    /// The events that nobody has claimed yet.
    pub(super) fn waiting<'e>(&self, events: &'e Events) -> impl Iterator<Item = &'e Stored> {
        events.after(self.row.start).filter(|event| self.is_mine(event) && event.position > self.head(self.lane(event)))
    }

    fn is_mine(&self, event: &Stored) -> bool {
        self.row.types.get(&event.record.name).is_some_and(|row| row.since <= event.position)
    }

    fn lane(&self, event: &Stored) -> Lane {
        if self.row.settings.ordered { event.record.lane() } else { Lane::ALL }
    }

    /// How many deliveries are in which state; what is done is not counted.
    pub(super) fn counts(&self, events: &Events) -> BTreeMap<State, u64> {
        let mut counts = BTreeMap::new();
        let mut count = |state| *counts.entry(state).or_insert(0) += 1;
        self.exceptions.values().for_each(|row| count(row.state));
        self.waiting(events).for_each(|_| count(State::Waiting));
        for event in events.after(self.row.start).filter(|event| self.is_mine(event)) {
            let (lane, position) = (self.lane(event), event.position);
            let before = self.ranges.range((lane, 0)..=(lane, position)).next_back();
            if let Some((_, row)) = before.filter(|(_, row)| row.span.contains(position)) {
                count(if row.token.is_some() { State::Running } else { State::Waiting });
            }
        }
        counts
    }
}

fn is_of(which: Which, token: Option<Token>) -> bool {
    match which {
        Which::None => false,
        Which::Of(wanted) => token == Some(wanted),
        Which::All => true,
    }
}
