//! [`Claim`]: what a worker may take.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::protocol::{
    Changes, ExceptionRow, Finished, HeldKey, Lane, Lease, Millis, Needs, Now, Position, RangeRow, Rows, Span, State,
    Token, Which,
};

/// What a worker asks for: exceptions that are due come first, then ranges given back or lost, then new positions.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The name that the claim will have.
    pub token: Token,
    /// The worker's name, to look at.
    pub worker: Arc<str>,
    /// How long nobody else may have what is claimed.
    pub lease: Duration,
    /// The most exceptions to take.
    pub singles: usize,
    /// Whether the worker has nothing else in hand: only then does it get an event whose worker was lost.
    pub idle: bool,
    /// New positions wanted, for each lane; [`Lane::ALL`] alone for a consumer without an order.
    pub lanes: Vec<LaneAsk>,
    /// Claims that the worker has: their lanes are its own.
    pub holding: Vec<Token>,
    /// The count of changes of the consumer's types that the worker knows of.
    pub types: u32,
}

/// New positions of a lane that are wanted.
#[derive(Debug, Clone)]
pub struct LaneAsk {
    /// The lane.
    pub lane: Lane,
    /// The last position wanted.
    pub up_to: Position,
    /// The keys of its events up to there.
    pub keys: Vec<Arc<str>>,
}

/// What a worker has got.
#[derive(Debug, Clone, Default)]
pub struct Claimed {
    /// New positions, and others' that were given back or lost.
    pub ranges: Vec<ClaimedRange>,
    /// Exceptions.
    pub singles: Vec<ClaimedSingle>,
    /// The keys asked about of which an earlier event is not over.
    pub held: Vec<HeldKey>,
    /// When the next exception is due, if none is now.
    pub next_due: Option<Millis>,
    /// Whether an event waits whose worker was lost: it is only given to a worker that has nothing else in hand.
    pub alone_waits: bool,
    /// Whether the consumer is paused.
    pub paused: bool,
    /// Whether another program has changed the consumer's types: nothing was claimed, and the worker registers again.
    pub outdated: bool,
}

/// Positions that a worker has got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedRange {
    /// The lane.
    pub lane: Lane,
    /// The positions.
    pub span: Span,
    /// Where they come from.
    pub kind: RangeKind,
    /// How often they were claimed, this time included.
    pub attempt: u32,
}

/// Where claimed positions come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeKind {
    /// Nobody had them before.
    New,
    /// A worker gave them back, without having started them.
    Returned,
    /// Their worker was lost: any of them may have been what killed it. They are not run, but each is settled as
    /// [`Ending::Suspect`](crate::protocol::Ending::Suspect), to be run alone.
    Lost,
}

/// An exception that a worker has got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedSingle {
    /// The event.
    pub position: Position,
    /// Its lane.
    pub lane: Lane,
    /// Which attempt this is.
    pub attempt: u32,
    /// Its workers were lost, and there is no attempt left: it is not run, but settled as dead.
    pub spent: bool,
    /// It runs with no other beside it.
    pub isolated: bool,
}

pub(super) fn needs(claim: &Claim) -> Needs {
    Needs {
        ranges: Which::All,
        running: Which::All,
        due: claim.singles,
        alone: true,
        heads: claim.lanes.iter().map(|ask| ask.lane).collect(),
        keys: claim.lanes.iter().flat_map(|ask| ask.keys.iter().cloned()).collect(),
    }
}

pub(super) fn decide(claim: &Claim, rows: &Rows, now: Now) -> (Changes, Claimed) {
    let mut taking = Taking { claim, now, changes: Changes::default(), claimed: Claimed::default(), full: false };
    taking.claimed.next_due = rows.next_due;
    taking.claimed.paused = rows.paused;
    taking.claimed.outdated = rows.types != claim.types;
    if !rows.paused && !taking.claimed.outdated {
        let busy = busy_lanes(claim, rows, now);
        taking.singles(rows, &busy);
        taking.left_over(rows, &busy);
        if !taking.full {
            taking.new_positions(rows, &busy);
            taking.claimed.held = rows.keyed.iter().filter_map(held).collect();
        }
    }
    (taking.changes, taking.claimed)
}

/// The lanes that belong to another claim. The lane of consumers without an order belongs to nobody.
fn busy_lanes(claim: &Claim, rows: &Rows, now: Now) -> BTreeSet<Lane> {
    let ranges = rows.ranges.iter().filter_map(|row| Some((row.lane, row.token?, row.lease_until)));
    let singles = rows.running.iter().filter_map(|row| Some((row.lane, row.token?, row.lease_until)));
    let taken = ranges
        .chain(singles)
        .filter(|(lane, token, lease)| *lane != Lane::ALL && !lease.is_over(now) && !claim.holding.contains(token));
    taken.map(|(lane, ..)| lane).collect()
}

fn held(row: &ExceptionRow) -> Option<HeldKey> {
    Some(HeldKey { key: row.key.clone()?, by: row.position })
}

struct Taking<'a> {
    claim: &'a Claim,
    now: Now,
    changes: Changes,
    claimed: Claimed,
    /// Nothing may be beside what was taken.
    full: bool,
}

impl Taking<'_> {
    /// Exceptions whose worker was lost, then those that are due.
    fn singles(&mut self, rows: &Rows, busy: &BTreeSet<Lane>) {
        let now = self.now;
        for row in rows.running.iter().filter(|row| row.lease_until.is_over(now)) {
            self.lost(row);
        }
        for row in rows.due.iter().filter(|row| !busy.contains(&row.lane)) {
            if self.claimed.singles.len() < self.claim.singles {
                self.take(row, row.attempt.saturating_add(1), false);
            }
        }
        let Some(row) = rows.alone.as_ref().filter(|row| !busy.contains(&row.lane)) else { return };
        self.claimed.alone_waits = true;
        if self.claim.idle && self.claim.singles > 0 && self.claimed.singles.is_empty() {
            let spent = row.limit > 0 && row.attempt >= row.limit;
            self.take(row, if spent { row.attempt } else { row.attempt.saturating_add(1) }, spent);
            self.full = true;
        }
    }

    /// The worker that had this exception was lost, and nobody knows whether it was this event that killed it: it is
    /// judged by what it does alone.
    fn lost(&mut self, row: &ExceptionRow) {
        self.changes.attempts.push(row.attempted(self.now.wall, Finished::Lost, None));
        let attempt = if row.limit == 0 || row.isolated { row.attempt } else { row.attempt.min(row.limit - 1) };
        self.changes.exceptions.push(ExceptionRow {
            state: State::Retrying,
            attempt,
            isolated: true,
            due: self.now.wall,
            token: None,
            lease_until: Lease::OVER,
            ..row.clone()
        });
        self.claimed.next_due = Some(self.now.wall);
    }

    fn take(&mut self, row: &ExceptionRow, attempt: u32, spent: bool) {
        let Claim { token, worker, lease, .. } = self.claim;
        let running = ExceptionRow {
            state: State::Running,
            attempt,
            token: Some(*token),
            worker: Arc::clone(worker),
            claimed_at: self.now.wall,
            lease_until: self.now.lease.after(*lease),
            ..row.clone()
        };
        self.changes.exceptions.push(running);
        let ExceptionRow { position, lane, isolated, .. } = *row;
        self.claimed.singles.push(ClaimedSingle { position, lane, attempt, spent, isolated });
    }

    /// Ranges that were given back, or whose worker was lost.
    fn left_over(&mut self, rows: &Rows, busy: &BTreeSet<Lane>) {
        let now = self.now;
        for row in rows.ranges.iter().filter(|row| row.token.is_none() || row.lease_until.is_over(now)) {
            if self.full || busy.contains(&row.lane) {
                // A claim ends as a whole: whoever had this may have lost another part of it just now.
                let nobodys = RangeRow { token: Some(Token::NOBODYS), ..row.clone() };
                self.changes.ranges.extend(row.token.map(|_| nobodys));
                continue;
            }
            let (kind, attempt) = match row.token {
                Some(_) => (RangeKind::Lost, row.attempt),
                None => (RangeKind::Returned, row.attempt.saturating_add(1)),
            };
            self.open(row.lane, row.span, kind, attempt);
        }
    }

    fn new_positions(&mut self, rows: &Rows, busy: &BTreeSet<Lane>) {
        // What is left over comes first.
        let reopened: BTreeSet<Lane> = self.claimed.ranges.iter().map(|range| range.lane).collect();
        for ask in self.claim.lanes.iter().filter(|ask| !busy.contains(&ask.lane) && !reopened.contains(&ask.lane)) {
            let head = rows.heads.get(&ask.lane).copied().unwrap_or(0);
            if let Some(span) = Span::new(head + 1, ask.up_to) {
                self.open(ask.lane, span, RangeKind::New, 1);
            }
        }
    }

    fn open(&mut self, lane: Lane, span: Span, kind: RangeKind, attempt: u32) {
        let Claim { token, worker, lease, .. } = self.claim;
        self.changes.ranges.push(RangeRow {
            lane,
            span,
            token: Some(*token),
            worker: Arc::clone(worker),
            attempt,
            claimed_at: self.now.wall,
            lease_until: self.now.lease.after(*lease),
        });
        self.claimed.ranges.push(ClaimedRange { lane, span, kind, attempt });
    }
}
