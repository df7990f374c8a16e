//! [`Ledger`]: what a listener has heard of each origin. No I/O, no clock.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Debug, Default)]
pub(super) struct Ledger {
    origins: BTreeMap<String, Heard>,
}

#[derive(Debug, Default)]
struct Heard {
    account: Account,
    /// A bit for each number.
    seen: Vec<u64>,
}

/// Events of one origin at one listener.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Account {
    /// Each number counts once.
    pub(super) handled: u64,
    /// As the link's events told.
    pub(super) reported_lost: u64,
    /// Numbers that came to the handler again.
    pub(super) handled_twice: u64,
}

impl Ledger {
    pub(super) fn handle(&mut self, origin: &str, number: u64) {
        let heard = self.of(origin);
        let (word, bit) = ((number / 64) as usize, 1 << (number % 64));
        if heard.seen.len() <= word {
            heard.seen.resize(word + 1, 0);
        }
        if heard.seen[word] & bit == 0 {
            heard.seen[word] |= bit;
            heard.account.handled += 1;
        } else {
            heard.account.handled_twice += 1;
        }
    }

    pub(super) fn lose(&mut self, origin: &str, count: u64) {
        self.of(origin).account.reported_lost += count;
    }

    pub(super) fn accounts(&self) -> BTreeMap<String, Account> {
        self.origins.iter().map(|(origin, heard)| (origin.clone(), heard.account)).collect()
    }

    fn of(&mut self, origin: &str) -> &mut Heard {
        self.origins.entry(origin.to_owned()).or_default()
    }
}

impl Account {
    /// Of so many emitted, those that were neither handled nor reported.
    pub(super) fn unreported(&self, emitted: u64) -> u64 {
        emitted.saturating_sub(self.handled + self.reported_lost)
    }

    /// Those that were reported lost, and were not.
    pub(super) fn reported_wrongly(&self, emitted: u64) -> u64 {
        (self.handled + self.reported_lost).saturating_sub(emitted)
    }

    pub(super) fn add(&mut self, other: Self) {
        self.handled += other.handled;
        self.reported_lost += other.reported_lost;
        self.handled_twice += other.handled_twice;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(ledger: &Ledger, origin: &str) -> Account {
        ledger.accounts().get(origin).copied().unwrap_or_default()
    }

    #[test]
    fn each_number_is_handled_once_for_each_origin() {
        let mut ledger = Ledger::default();
        for number in [0, 63, 64, 1000, 64, 0] {
            ledger.handle("a", number);
        }
        ledger.handle("b", 64);
        assert_eq!(account(&ledger, "a"), Account { handled: 4, reported_lost: 0, handled_twice: 2 });
        assert_eq!(account(&ledger, "b"), Account { handled: 1, reported_lost: 0, handled_twice: 0 });
    }

    #[test]
    fn what_was_emitted_is_handled_or_reported() {
        let mut ledger = Ledger::default();
        (0..7).for_each(|number| ledger.handle("a", number));
        ledger.lose("a", 2);
        let account = account(&ledger, "a");
        assert_eq!((account.unreported(9), account.reported_wrongly(9)), (0, 0));
        assert_eq!((account.unreported(12), account.reported_wrongly(12)), (3, 0));
        assert_eq!((account.unreported(8), account.reported_wrongly(8)), (0, 1));
    }
}
