//! [`Origins`]: what was heard from each sender, and what must have been lost between (promise T7).

use std::collections::HashMap;

/// The sequence numbers seen of each sender.
#[derive(Debug, Default)]
pub(super) struct Origins {
    origins: HashMap<Box<str>, Origin>,
    /// Counts frames, as a clock for forgetting.
    now: u64,
}

#[derive(Debug)]
struct Origin {
    last: u64,
    heard: u64,
}

/// Senders that are remembered: each restart of a process is a new one.
const CAPACITY: usize = 4096;

/// What a sequence number says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// It is the first of its sender, or the next.
    InOrder,
    /// So many before it did not arrive, and will be taken for late if they do.
    After { lost: u64 },
    /// It was heard, or counted as lost, before.
    Late,
}

impl Origins {
    /// A frame with an event.
    pub(super) fn hear(&mut self, source: &str, sequence: u64) -> Heard {
        self.note(source, sequence, sequence.saturating_sub(1))
    }

    /// A frame that names the last number its sender has used; how many of those before it are lost.
    pub(super) fn hear_last(&mut self, source: &str, last: u64) -> u64 {
        match self.note(source, last, last) {
            Heard::After { lost } => lost,
            Heard::InOrder | Heard::Late => 0,
        }
    }

    /// `before` is the number up to which everything should have arrived before this frame.
    fn note(&mut self, source: &str, sequence: u64, before: u64) -> Heard {
        self.now += 1;
        let now = self.now;
        let Some(origin) = self.origins.get_mut(source) else {
            self.make_room();
            self.origins.insert(source.into(), Origin { last: sequence, heard: now });
            return Heard::InOrder;
        };
        origin.heard = now;
        let lost = before.saturating_sub(origin.last);
        if sequence <= origin.last {
            return Heard::Late;
        }
        origin.last = sequence;
        if lost == 0 { Heard::InOrder } else { Heard::After { lost } }
    }

    /// Forgets the half that was silent for longest.
    fn make_room(&mut self) {
        if self.origins.len() < CAPACITY {
            return;
        }
        let mut heard: Vec<u64> = self.origins.values().map(|origin| origin.heard).collect();
        let (_, &mut median, _) = heard.select_nth_unstable(CAPACITY / 2);
        self.origins.retain(|_, origin| origin.heard > median);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t07_the_first_number_is_the_baseline_and_each_hole_is_told_once() {
        let mut origins = Origins::default();
        assert_eq!(origins.hear("a", 7), Heard::InOrder);
        assert_eq!(origins.hear("a", 8), Heard::InOrder);
        assert_eq!(origins.hear("a", 12), Heard::After { lost: 3 });
        assert_eq!(origins.hear("b", 1), Heard::InOrder);
        assert_eq!(origins.hear("a", 13), Heard::InOrder);
    }

    #[test]
    fn t07_what_comes_late_or_twice_was_counted_before() {
        let mut origins = Origins::default();
        origins.hear("a", 1);
        origins.hear("a", 4);
        for sequence in [1, 2, 3, 4] {
            assert_eq!(origins.hear("a", sequence), Heard::Late);
        }
        assert_eq!(origins.hear("a", 5), Heard::InOrder);
    }

    #[test]
    fn t07_a_beat_tells_what_was_lost_at_the_end() {
        let mut origins = Origins::default();
        assert_eq!(origins.hear_last("a", 3), 0);
        assert_eq!(origins.hear("a", 4), Heard::InOrder);
        assert_eq!(origins.hear_last("a", 4), 0);
        assert_eq!(origins.hear_last("a", 6), 2);
        assert_eq!(origins.hear_last("a", 6), 0);
        assert_eq!(origins.hear("a", 7), Heard::InOrder);
    }

    #[test]
    fn t07_senders_that_are_long_gone_are_forgotten() {
        let mut origins = Origins::default();
        for n in 0..3 * CAPACITY {
            origins.hear(&n.to_string(), 1);
            origins.hear("steady", n as u64 + 1);
        }
        assert!(origins.origins.len() <= CAPACITY);
        assert_eq!(origins.hear("steady", 3 * CAPACITY as u64 + 1), Heard::InOrder);
    }
}
