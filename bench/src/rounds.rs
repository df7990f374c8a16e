//! [`Rounds`]: every subject is measured once a round, in an order that changes from round to round.

use std::time::Duration;

use crate::failure::Failure;
use crate::samples::Samples;
use crate::subject::Subject;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounds {
    pub(crate) count: usize,
    /// How long a row is measured in a round.
    pub(crate) budget: Duration,
}

impl Rounds {
    /// Measures one round that does not count, then `count` that do; `progress` hears of each before it begins.
    pub(crate) fn run(self, subjects: &mut [Box<dyn Subject>], progress: impl Fn(usize)) -> Result<Samples, Failure> {
        let mut samples = Samples::default();
        let mut order: Vec<usize> = (0..subjects.len()).collect();
        let mut random = Random(0x6f79_657a);
        for round in 0..=self.count {
            progress(round);
            shuffle(&mut order, &mut random);
            for &next in &order {
                let subject = &mut subjects[next];
                let figures = subject.measure(self.budget)?;
                if round > 0 {
                    subject.rows().iter().zip(figures).for_each(|(row, figure)| samples.add(&row.name, figure));
                }
            }
        }
        Ok(samples)
    }
}

/// Fisher and Yates' shuffle.
fn shuffle(order: &mut [usize], random: &mut Random) {
    for last in (1..order.len()).rev() {
        order.swap(last, (random.next() % (last as u64 + 1)) as usize);
    }
}

/// Marsaglia's xorshift64 from a fixed seed: a run can be repeated in the same order.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, PoisonError};

    use super::*;
    use crate::subject::Row;

    /// Writes down when it is measured and answers with how often it was.
    struct Counting {
        row: [Row; 1],
        measured: f64,
        log: Arc<Mutex<Vec<String>>>,
    }

    impl Subject for Counting {
        fn rows(&self) -> &[Row] {
            &self.row
        }

        fn measure(&mut self, _: Duration) -> Result<Vec<f64>, Failure> {
            self.measured += 1.0;
            self.log.lock().unwrap_or_else(PoisonError::into_inner).push(self.row[0].name.clone());
            Ok(vec![self.measured])
        }
    }

    #[test]
    fn each_round_measures_every_subject_once_and_the_first_round_does_not_count() -> Result<(), Failure> {
        let log = Arc::new(Mutex::new(Vec::new()));
        let mut subjects: Vec<Box<dyn Subject>> = Vec::new();
        for name in ["a", "b", "c", "d"] {
            subjects.push(Box::new(Counting { row: [Row::new(name, 1)], measured: 0.0, log: log.clone() }));
        }
        let samples = Rounds { count: 5, budget: Duration::ZERO }.run(&mut subjects, |_| ())?;
        assert_eq!(samples.median("a"), Some(4.0), "rounds 2 to 6 of six");

        let log = log.lock().unwrap_or_else(PoisonError::into_inner);
        let rounds: Vec<&[String]> = log.chunks(4).collect();
        assert_eq!(rounds.len(), 6);
        for round in &rounds {
            let mut sorted = round.to_vec();
            sorted.sort();
            assert_eq!(sorted, ["a", "b", "c", "d"]);
        }
        assert!(rounds.iter().any(|round| round != &rounds[0]), "the order never changed");
        Ok(())
    }
}
