//! [`Settle`]: what a worker's report changes.

use std::sync::Arc;

use crate::protocol::keys::Keys;
use crate::protocol::{
    Changes, ExceptionRow, Finished, Lane, Lease, Millis, Needs, Now, Position, RangeRow, ReceiptRow, Rows, Span,
    Spans, State, Token, Which,
};

/// A worker's report on what it has claimed under one token.
#[derive(Debug, Clone)]
pub struct Settle {
    /// The claim.
    pub token: Token,
    /// For each lane, the positions of its ranges that are over, those of `ones` included.
    pub over: Vec<(Lane, Spans)>,
    /// For each lane, the positions of its ranges that are given back, not having been started.
    pub given_back: Vec<(Lane, Spans)>,
    /// What did not simply succeed, and every exception that was claimed.
    pub ones: Vec<SettledOne>,
}

/// How one delivery ended.
#[derive(Debug, Clone)]
pub struct SettledOne {
    /// The event.
    pub position: Position,
    /// Its lane.
    pub lane: Lane,
    /// Its key, if the consumer is ordered.
    pub key: Option<Arc<str>>,
    /// How it ended.
    pub ending: Ending,
    /// Why it failed; for [`Ending::Unknown`], what a program must be able to read.
    pub error: Option<Arc<str>>,
    /// The most attempts it has; 0 for no limit.
    pub limit: u32,
}

/// How a delivery ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It succeeded.
    Done,
    /// It is not for this consumer.
    Skip,
    /// It failed, and is tried again then.
    Retry {
        /// When, by the engine's clock.
        due: Millis,
    },
    /// It failed for good.
    Dead {
        /// Whether it goes on holding back its key.
        holds: bool,
    },
    /// It was not started: it waits for an earlier event of its key.
    Park,
    /// It was not started: the worker that had it before was lost.
    Suspect,
    /// It was not started: this program cannot read it, and another one may.
    Unknown,
    /// It was not started, or was stopped: the attempt does not count. Only of exceptions.
    GiveBack,
}

/// What became of a report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// What was not the worker's any more: nothing of it was written.
    pub refused: Spans,
}

pub(super) fn needs(settle: &Settle) -> Needs {
    Needs {
        ranges: Which::Of(settle.token),
        running: Which::Of(settle.token),
        keys: settle.ones.iter().filter_map(|one| one.key.clone()).collect(),
        ..Needs::default()
    }
}

pub(super) fn decide(settle: &Settle, rows: &Rows, now: Now) -> (Changes, Settled) {
    let mut settling =
        Settling { now, changes: Changes::default(), settled: Settled::default(), keys: Keys::new(&rows.keyed) };
    for one in &settle.ones {
        let of_range = rows.ranges.iter().find(|row| row.lane == one.lane && row.span.contains(one.position));
        let of_exception = rows.running.iter().find(|row| row.position == one.position);
        match (of_exception, of_range) {
            (Some(row), _) => settling.end(row, one, true),
            (None, Some(row)) => settling.first(row, one),
            (None, None) => settling.settled.refused.insert(Span::one(one.position)),
        }
    }
    for row in &rows.ranges {
        settling.range(row, spans_of(&settle.over, row.lane), spans_of(&settle.given_back, row.lane));
    }
    for (lane, spans) in settle.over.iter().chain(&settle.given_back) {
        let owned: Spans = rows.ranges.iter().filter(|row| row.lane == *lane).map(|row| row.span).collect();
        let stale = spans.iter().flat_map(|span| owned.missing_in(span));
        stale.for_each(|span| settling.settled.refused.insert(span));
    }
    settling.finish()
}

fn spans_of(lanes: &[(Lane, Spans)], lane: Lane) -> Option<&Spans> {
    lanes.iter().find(|(own, _)| *own == lane).map(|(_, spans)| spans)
}

struct Settling {
    now: Now,
    changes: Changes,
    settled: Settled,
    keys: Keys,
}

impl Settling {
    /// What is over gets a receipt, what is given back a row that anyone may claim, and the rest stays.
    fn range(&mut self, row: &RangeRow, over: Option<&Spans>, given_back: Option<&Spans>) {
        let over = over.map(|spans| spans.within(row.span)).unwrap_or_default();
        let back = given_back.map(|spans| spans.within(row.span)).unwrap_or_default();
        if over.is_empty() && back.is_empty() {
            return;
        }
        self.changes.ranges_deleted.push((row.lane, row.span.lo));
        let gone: Spans = over.iter().chain(&back).copied().collect();
        let kept = gone.missing_in(row.span).into_iter().map(|span| RangeRow { span, ..row.clone() });
        self.changes.ranges.extend(kept);
        let back = back.into_iter().map(|span| RangeRow {
            span,
            token: None,
            attempt: row.attempt.saturating_sub(1),
            lease_until: Lease::OVER,
            ..row.clone()
        });
        self.changes.ranges.extend(back);
        let receipts = over.into_iter().map(|span| ReceiptRow {
            lane: row.lane,
            span,
            worker: Arc::clone(&row.worker),
            attempt: row.attempt,
            started: row.claimed_at,
            finished: self.now.wall,
        });
        self.changes.receipts.extend(receipts);
    }

    /// A position of a range that did not simply succeed.
    fn first(&mut self, range: &RangeRow, one: &SettledOne) {
        let row = ExceptionRow {
            position: one.position,
            lane: range.lane,
            key: one.key.clone(),
            state: State::Running,
            attempt: range.attempt,
            limit: one.limit,
            isolated: false,
            holds: true,
            due: self.now.wall,
            token: None,
            worker: Arc::clone(&range.worker),
            claimed_at: range.claimed_at,
            lease_until: Lease::OVER,
            wants: None,
            first_error: None,
            last_error: None,
        };
        self.end(&row, one, false);
    }

    /// `stored`: whether the exception has a row already.
    fn end(&mut self, row: &ExceptionRow, one: &SettledOne, stored: bool) {
        let mut next = ExceptionRow { token: None, lease_until: Lease::OVER, limit: one.limit, ..row.clone() };
        if let (Some(error), false) = (&one.error, one.ending == Ending::Unknown) {
            next.first_error = next.first_error.or_else(|| Some(Arc::clone(error)));
            next.last_error = Some(Arc::clone(error));
        }
        let finished_as = match one.ending {
            Ending::Done => {
                if stored {
                    self.changes.exceptions_deleted.push(row.position);
                    self.attempt(row, one, Finished::Done);
                }
                self.keys.remove(row);
                return;
            }
            Ending::Skip => {
                (next.state, next.holds) = (State::Skipped, false);
                Some(Finished::Skipped)
            }
            Ending::Retry { due } => {
                (next.state, next.due, next.isolated) = (State::Retrying, due.max(self.now.wall), false);
                Some(Finished::Failed)
            }
            Ending::Dead { holds } => {
                (next.state, next.holds) = (State::Dead, holds);
                Some(Finished::Dead)
            }
            Ending::Park => {
                (next.state, next.attempt) = (State::Parked, row.attempt.saturating_sub(1));
                None
            }
            Ending::Suspect => {
                (next.state, next.isolated) = (State::Retrying, true);
                if one.limit > 0 {
                    next.attempt = row.attempt.min(one.limit - 1);
                }
                Some(Finished::Lost)
            }
            Ending::Unknown => {
                (next.state, next.attempt) = (State::Parked, row.attempt.saturating_sub(1));
                next.wants.clone_from(&one.error);
                None
            }
            Ending::GiveBack => {
                (next.state, next.due, next.attempt) = (State::Retrying, self.now.wall, row.attempt.saturating_sub(1));
                None
            }
        };
        if let Some(finished_as) = finished_as {
            self.attempt(row, one, finished_as);
        }
        self.keys.put(&next);
        self.changes.exceptions.push(next);
    }

    fn attempt(&mut self, row: &ExceptionRow, one: &SettledOne, finished_as: Finished) {
        self.changes.attempts.push(row.attempted(self.now.wall, finished_as, one.error.clone()));
    }

    fn finish(mut self) -> (Changes, Settled) {
        // Rows put later stand for those put before.
        self.changes.exceptions.extend(self.keys.in_order(self.now.wall));
        (self.changes, self.settled)
    }
}
