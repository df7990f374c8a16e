//! [`Outcome`]: what came out of the soak of one transport.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::emitter::Closed;
use super::ledger::Account;
use super::listener::Outages;
use super::weight::Weight;

#[derive(Debug)]
pub(super) struct Outcome {
    /// Each process, after the first quarter and at the end.
    pub(super) weights: Vec<(String, Weight, Weight)>,
    pub(super) emitters: Vec<Closed>,
    /// Of each listener, by origin.
    pub(super) accounts: Vec<BTreeMap<String, Account>>,
    pub(super) outages: Vec<Outages>,
}

/// The figures of the JSON line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) emitted: u64,
    /// Of both listeners together, as the other figures.
    pub(super) account: Account,
    pub(super) lost_unreported: u64,
    pub(super) reported_wrongly: u64,
    pub(super) unsent: u64,
    /// Processes that hold more at the end than after the first quarter.
    pub(super) grown: u64,
}

impl Outcome {
    pub(super) fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for Closed { origin, emitted, unsent, .. } in &self.emitters {
            totals.emitted += emitted;
            totals.unsent += unsent;
            for accounts in &self.accounts {
                let account = accounts.get(origin).copied().unwrap_or_default();
                totals.account.add(account);
                totals.lost_unreported += account.unreported(*emitted);
                totals.reported_wrongly += account.reported_wrongly(*emitted);
            }
        }
        totals.grown = self.weights.iter().filter(|(_, begin, end)| begin.has_grown_to(*end)).count() as u64;
        totals
    }

    /// Whether every event of every node is accounted for at every listener.
    pub(super) fn is_settled(emitters: &[Closed], accounts: &BTreeMap<String, Account>) -> bool {
        emitters.iter().all(|Closed { origin, emitted, .. }| {
            accounts.get(origin).is_some_and(|account| account.unreported(*emitted) == 0)
        })
    }

    /// Markdown tables: the nodes that emitted, what each listener heard of each, and what the processes hold.
    pub(super) fn tables(&self, title: &str) -> String {
        let nodes = (1..).zip(&self.emitters).map(|(node, closed)| {
            let Closed { emitted, dropped, unsent, confirmed, .. } = closed;
            format!("| node {node} | {emitted} | {dropped} | {unsent} | {confirmed} |\n")
        });
        let listeners = (1..).zip(self.accounts.iter().zip(&self.outages));
        let accounts = listeners.flat_map(|(listener, (accounts, outages))| {
            (1..).zip(&self.emitters).map(move |(node, Closed { origin, emitted, .. })| {
                let account = accounts.get(origin).copied().unwrap_or_default();
                let unreported = account.unreported(*emitted);
                let Account { handled, reported_lost, handled_twice } = account;
                let (who, link) = (format!("listener {listener} | node {node}"), (outages.downs, outages.ups));
                format!("| {who} | {handled} | {reported_lost} | {unreported} | {handled_twice} | {link:?} |\n")
            })
        });
        let weights = self.weights.iter().map(|(process, begin, end)| {
            let [memory, memory_end] = [begin.memory, end.memory].map(|kib| kib as f64 / 1024.0);
            let (tasks, threads) = ((begin.tasks, end.tasks), (begin.threads, end.threads));
            format!("| {process} | {memory:.1} MiB, {memory_end:.1} MiB | {tasks:?} | {threads:?} |\n")
        });
        [
            format!("| {title} | emitted | dropped by the full outbox | unsent at the end | close confirmed |\n"),
            "|---|---:|---:|---:|---|\n".to_owned(),
            nodes.collect(),
            "\n| at | of | handled | reported lost | unreported | handled twice | link down/up |\n".to_owned(),
            "|---|---|---:|---:|---:|---:|---:|\n".to_owned(),
            accounts.collect(),
            "\n| process | memory after the first quarter, at the end | tasks | threads |\n".to_owned(),
            "|---|---:|---:|---:|\n".to_owned(),
            weights.collect(),
        ]
        .concat()
    }
}

impl Totals {
    pub(super) fn add(&mut self, other: Self) {
        self.emitted += other.emitted;
        self.account.add(other.account);
        self.lost_unreported += other.lost_unreported;
        self.reported_wrongly += other.reported_wrongly;
        self.unsent += other.unsent;
        self.grown += other.grown;
    }

    pub(super) fn is_good(&self) -> bool {
        self.lost_unreported == 0 && self.reported_wrongly == 0 && self.account.handled_twice == 0 && self.grown == 0
    }

    pub(super) fn write(&self, prefix: &str, line: &mut Map<String, Value>) {
        let figures = [
            ("lost_unreported", self.lost_unreported),
            ("handled_twice", self.account.handled_twice),
            ("emitted", self.emitted),
            ("handled", self.account.handled),
            ("reported_lost", self.account.reported_lost),
            ("reported_wrongly", self.reported_wrongly),
            ("unsent", self.unsent),
            ("grown", self.grown),
        ];
        line.extend(figures.map(|(name, figure)| (format!("{prefix}{name}"), figure.into())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(handled: u64, handled_twice: u64) -> Outcome {
        let closed = Closed { origin: "a".to_owned(), emitted: 10, dropped: 0, unsent: 0, confirmed: true };
        let account = Account { handled, reported_lost: 3, handled_twice };
        let weight = Weight { memory: 1, tasks: 1, threads: 1 };
        Outcome {
            weights: vec![("listener".to_owned(), weight, weight)],
            emitters: vec![closed],
            accounts: vec![BTreeMap::from([("a".to_owned(), account)]); 2],
            outages: vec![Outages::default(); 2],
        }
    }

    #[test]
    fn a_soak_is_good_when_each_event_is_handled_or_reported_once_at_each_listener() {
        assert!(outcome(7, 0).totals().is_good());
        assert!(!outcome(7, 1).totals().is_good());
        let totals = outcome(6, 0).totals();
        assert_eq!((totals.emitted, totals.account.handled, totals.lost_unreported), (10, 12, 2));
        assert_eq!(outcome(8, 0).totals().reported_wrongly, 2);
    }

    #[test]
    fn a_listener_that_has_heard_nothing_of_a_node_lacks_all_of_it() {
        let mut outcome = outcome(7, 0);
        outcome.accounts[1].clear();
        assert_eq!(outcome.totals().lost_unreported, 10);
        assert!(Outcome::is_settled(&outcome.emitters, &outcome.accounts[0]));
        assert!(!Outcome::is_settled(&outcome.emitters, &outcome.accounts[1]));
    }
}
