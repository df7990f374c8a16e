//! Three workers, crashes, pauses, leases that end and reports that come late, at random: whatever happens, no event is
//! lost, none has two live leases, no attempt passes the maximum, and a stale token changes nothing.

#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests fail as tests do")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use oyez_durable_bridge::MemoryLog;
use oyez_durable_bridge::log::{Draft, Log, Record};
use oyez_durable_bridge::protocol::{
    Answer, Claim, Claimed, Ending, Lane, LaneAsk, Limit, OnDead, Position, RangeKind, Registration, Settings, Settle,
    SettledOne, Span, Spans, Start, State, Step, Token,
};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::value::RawValue;
use tokio::time::Instant;

const LEASE: Duration = Duration::from_secs(10);
const LIMIT: Limit = Limit::Attempts(3);

#[derive(Debug, Clone)]
enum Op {
    Append,
    Claim {
        worker: usize,
        new: u64,
        singles: usize,
    },
    /// The worker reports on the first so many events that it has, and may give the rest back.
    Report {
        worker: usize,
        count: usize,
        ending: How,
        give_back: bool,
    },
    /// The worker forgets what it has.
    Crash {
        worker: usize,
    },
    Advance {
        seconds: u64,
    },
    Renew {
        worker: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Done,
    Retry,
    Skip,
    Dead,
}

fn op() -> impl Strategy<Value = Op> {
    let worker = 0_usize..3;
    let how = prop_oneof![3 => Just(How::Done), 2 => Just(How::Retry), 1 => Just(How::Skip), 1 => Just(How::Dead)];
    prop_oneof![
        2 => Just(Op::Append),
        4 => (worker.clone(), 0_u64..6, 0_usize..4).prop_map(|(worker, new, singles)| Op::Claim { worker, new, singles }),
        4 => (worker.clone(), 1_usize..6, how, any::<bool>())
            .prop_map(|(worker, count, ending, give_back)| Op::Report { worker, count, ending, give_back }),
        1 => worker.clone().prop_map(|worker| Op::Crash { worker }),
        2 => (1_u64..12).prop_map(|seconds| Op::Advance { seconds }),
        1 => worker.prop_map(|worker| Op::Renew { worker }),
    ]
}

/// What a worker has under one token.
struct Hold {
    token: Token,
    until: Instant,
    ranges: BTreeSet<Position>,
    singles: BTreeSet<Position>,
    lost: BTreeSet<Position>,
    spent: BTreeSet<Position>,
    /// The exceptions at their last attempt.
    last: BTreeSet<Position>,
}

struct Run {
    log: MemoryLog,
    consumer: i64,
    workers: [Vec<Hold>; 3],
    /// Holds that their worker has forgotten, and that may still be live for the log.
    forgotten: Vec<Hold>,
    appended: Position,
    over: BTreeMap<Position, How>,
    /// Events that have run alone.
    alone: BTreeSet<Position>,
}

impl Run {
    fn new() -> Self {
        let log = MemoryLog::new();
        let settings =
            Settings { ordered: false, on_dead: OnDead::Continue, retry: None, lease_ms: 10_000, concurrency: 1 };
        let registration = Registration {
            consumer: "c".into(),
            settings,
            config_version: 1,
            start: Start::Earliest,
            names: vec!["a".into()],
        };
        let consumer = now(log.register(registration)).unwrap().unwrap().consumer;
        Self {
            log,
            consumer,
            workers: Default::default(),
            forgotten: Vec::new(),
            appended: 0,
            over: BTreeMap::new(),
            alone: BTreeSet::new(),
        }
    }

    fn append(&mut self) {
        self.appended += 1;
        let record = Record {
            id: format!("{}", self.appended).parse().unwrap(),
            name: "a".into(),
            version: 1,
            key: None,
            payload: RawValue::from_string(self.appended.to_string()).unwrap(),
            headers: BTreeMap::new(),
            correlation: None,
            causation: None,
            at: 0,
            publisher: "p".into(),
            retry: None,
        };
        let appended = now(self.log.append(vec![Draft { record, idempotency_key: None, due: None }])).unwrap();
        assert_eq!(appended[0].position, Some(self.appended));
    }

    fn claim(&mut self, worker: usize, new: u64, singles: usize) -> bool {
        let claim = Claim {
            token: Token::random(),
            worker: "w".into(),
            lease: LEASE,
            singles,
            idle: self.workers[worker].is_empty(),
            lanes: vec![LaneAsk {
                lane: Lane::ALL,
                up_to: self.appended.min(self.claimed_to() + new),
                keys: Vec::new(),
            }],
            holding: Vec::new(),
            types: 1,
        };
        let (token, idle) = (claim.token, claim.idle);
        let Answer::Claimed(claimed) = now(self.log.step(self.consumer, Step::Claim(claim))).unwrap() else { panic!() };
        let hold = hold(token, &claimed);
        let all = hold.all();
        assert!(idle || claimed.singles.iter().all(|single| !single.isolated), "isolated beside others");
        assert!(claimed.singles.iter().all(|single| single.attempt <= LIMIT.number()));
        for single in claimed.singles.iter().filter(|single| single.isolated) {
            // Nobody is judged by what happened beside it.
            let ran_alone = !self.alone.insert(single.position);
            assert!(ran_alone || !single.spent, "{} never ran alone", single.position);
        }
        for position in &all {
            assert!(!self.over.contains_key(position), "{position} was over");
            let others = self.workers.iter().flatten().chain(&self.forgotten);
            let live = others.filter(|other| other.until > Instant::now() && other.all().contains(position));
            assert_eq!(live.count(), 0, "{position} has two live leases");
        }
        if !all.is_empty() {
            self.workers[worker].push(hold);
        }
        !all.is_empty()
    }

    fn claimed_to(&self) -> Position {
        let holds = self.workers.iter().flatten().chain(&self.forgotten);
        holds.flat_map(|hold| hold.all()).chain(self.over.keys().copied()).max().unwrap_or(0)
    }

    fn report(&mut self, worker: usize, count: usize, ending: How, give_back: bool) {
        if self.workers[worker].is_empty() {
            return;
        }
        let mut hold = self.workers[worker].remove(0);
        let mut settle = Settle { token: hold.token, over: Vec::new(), given_back: Vec::new(), ones: Vec::new() };
        let mut over = Spans::default();
        let mut reported = BTreeSet::new();
        let endings = [
            (&hold.lost, Ending::Suspect),
            (&hold.spent, Ending::Dead { holds: false }),
            (&hold.singles, self.ending(ending)),
            (&hold.ranges, self.ending(ending)),
        ];
        for (positions, ending) in endings {
            for position in positions.iter().take(count) {
                // What fails at its last attempt is dead; that is for the worker to see.
                let failed_for_good = matches!(ending, Ending::Retry { .. }) && hold.last.contains(position);
                let ending = if failed_for_good { Ending::Dead { holds: false } } else { ending };
                let in_range = !hold.singles.contains(position) && !hold.spent.contains(position);
                if in_range {
                    over.insert(Span::one(*position));
                }
                if ending != Ending::Done || !in_range {
                    settle.ones.push(one(*position, ending));
                }
                reported.insert(*position);
            }
        }
        settle.over.push((Lane::ALL, over));
        if give_back {
            let left = |positions: &BTreeSet<Position>| -> Vec<_> {
                positions.iter().filter(|position| !reported.contains(position)).copied().collect()
            };
            settle.given_back.push((Lane::ALL, left(&hold.ranges).into_iter().map(Span::one).collect()));
            settle.ones.extend(left(&hold.singles).into_iter().map(|position| one(position, Ending::GiveBack)));
        }
        let Answer::Settled(settled) = now(self.log.step(self.consumer, Step::Settle(settle))).unwrap() else {
            panic!()
        };
        for position in reported.iter().filter(|position| !settled.refused.contains(**position)) {
            let failed_for_good = ending == How::Retry && hold.last.contains(position);
            let is_dead = hold.spent.contains(position) || failed_for_good;
            if !hold.lost.contains(position) && (is_dead || ending != How::Retry) {
                let how = if is_dead { How::Dead } else { ending };
                assert_eq!(self.over.insert(*position, how), None, "{position} was over twice");
            }
        }
        for positions in [&mut hold.ranges, &mut hold.singles, &mut hold.lost, &mut hold.spent] {
            positions.retain(|position| !reported.contains(position));
        }
        if give_back {
            hold.ranges.clear();
            hold.singles.clear();
        }
        if !hold.all().is_empty() {
            self.workers[worker].push(hold);
        }
    }

    fn ending(&self, how: How) -> Ending {
        match how {
            How::Done => Ending::Done,
            How::Retry => Ending::Retry { due: self.log.now() + 1_000 },
            How::Skip => Ending::Skip,
            How::Dead => Ending::Dead { holds: false },
        }
    }

    fn renew(&mut self, worker: usize) {
        let tokens = self.workers[worker].iter().map(|hold| (self.consumer, hold.token)).collect();
        let lost = now(self.log.renew(tokens, LEASE)).unwrap();
        for hold in self.workers[worker].iter_mut().filter(|hold| !lost.contains(&hold.token)) {
            hold.until = Instant::now() + LEASE;
        }
    }

    async fn run(&mut self, op: Op) {
        match op {
            Op::Append => self.append(),
            Op::Claim { worker, new, singles } => _ = self.claim(worker, new, singles),
            Op::Report { worker, count, ending, give_back } => self.report(worker, count, ending, give_back),
            Op::Crash { worker } => {
                let holds = std::mem::take(&mut self.workers[worker]);
                self.forgotten.extend(holds);
            }
            Op::Advance { seconds } => tokio::time::advance(Duration::from_secs(seconds)).await,
            Op::Renew { worker } => self.renew(worker),
        }
    }

    /// One worker does what is left.
    async fn drain(&mut self) {
        for worker in 0..3 {
            self.run(Op::Crash { worker }).await;
        }
        for _ in 0..2_000 {
            while self.workers[0].iter().any(|hold| !hold.all().is_empty()) {
                self.report(0, usize::MAX, How::Done, false);
            }
            if !self.claim(0, 100, 4) {
                if self.over.len() as u64 == self.appended {
                    return;
                }
                tokio::time::advance(LEASE / 4).await;
            }
        }
        panic!("of {} events only these are over: {:?}", self.appended, self.over);
    }

    fn check_end(&self) {
        let status = now(self.log.status("c".into())).unwrap().unwrap();
        for state in [State::Waiting, State::Running, State::Retrying, State::Parked] {
            assert!(!status.counts.contains_key(&state), "{status:?}");
        }
    }
}

impl Hold {
    fn all(&self) -> BTreeSet<Position> {
        [&self.ranges, &self.singles, &self.lost, &self.spent].into_iter().flatten().copied().collect()
    }
}

fn hold(token: Token, claimed: &Claimed) -> Hold {
    let of_ranges = |lost: bool| {
        let ranges = claimed.ranges.iter().filter(move |range| (range.kind == RangeKind::Lost) == lost);
        ranges.flat_map(|range| range.span.lo..=range.span.hi).collect()
    };
    let of_singles = |spent: bool| {
        claimed.singles.iter().filter(|single| single.spent == spent).map(|single| single.position).collect()
    };
    Hold {
        token,
        until: Instant::now() + LEASE,
        ranges: of_ranges(false),
        singles: of_singles(false),
        lost: of_ranges(true),
        spent: of_singles(true),
        last: claimed
            .singles
            .iter()
            .filter(|single| single.attempt == LIMIT.number())
            .map(|single| single.position)
            .collect(),
    }
}

fn one(position: Position, ending: Ending) -> SettledOne {
    let error = Some(Arc::from("no"));
    SettledOne { position, lane: Lane::ALL, key: None, ending, error, limit: LIMIT.number() }
}

/// A log in memory answers at once.
fn now<T>(answer: impl Future<Output = T>) -> T {
    answer.now_or_never().unwrap()
}

proptest! {


    #[test]
    fn no_event_is_lost_or_leased_twice(ops in vec(op(), 1..80)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let mut run = Run::new();
            for op in ops {
                run.run(op).await;
            }
            run.drain().await;
            run.check_end();
        });
    }
}
