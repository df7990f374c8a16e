//! [`Figure`]: one value of the JSON line, and what it is to reach.

use crate::samples::Samples;
use crate::target::Target;

#[derive(Debug, Clone, Copy)]
pub(super) struct Figure {
    pub(super) name: &'static str,
    of: Of,
    target: Option<Target>,
}

/// Rows are in nanoseconds.
#[derive(Debug, Clone, Copy)]
enum Of {
    PerSecond(&'static str),
    Microseconds(&'static str),
    /// How much longer the first takes than the second.
    ExtraMicroseconds(&'static str, &'static str),
    Cost(&'static str, &'static str),
    Rate(&'static str, &'static str),
}

impl Figure {
    pub(super) const fn per_second(name: &'static str, row: &'static str) -> Self {
        Self::new(name, Of::PerSecond(row))
    }

    pub(super) const fn microseconds(name: &'static str, row: &'static str) -> Self {
        Self::new(name, Of::Microseconds(row))
    }

    pub(super) const fn extra_microseconds(name: &'static str, over: &'static str, under: &'static str) -> Self {
        Self::new(name, Of::ExtraMicroseconds(over, under))
    }

    /// Nanoseconds by nanoseconds.
    pub(super) const fn cost(name: &'static str, over: &'static str, under: &'static str) -> Self {
        Self::new(name, Of::Cost(over, under))
    }

    /// Events a second by events a second.
    pub(super) const fn rate(name: &'static str, over: &'static str, under: &'static str) -> Self {
        Self::new(name, Of::Rate(over, under))
    }

    const fn new(name: &'static str, of: Of) -> Self {
        Self { name, of, target: None }
    }

    pub(super) const fn at_most(self, bound: f64) -> Self {
        Self { target: Some(Target::AtMost(bound)), ..self }
    }

    pub(super) const fn at_least(self, bound: f64) -> Self {
        Self { target: Some(Target::AtLeast(bound)), ..self }
    }

    pub(super) fn value(&self, samples: &Samples) -> Option<f64> {
        match self.of {
            Of::PerSecond(row) => Some(1e9 / samples.median(row)?),
            Of::Microseconds(row) => Some(samples.median(row)? / 1e3),
            Of::ExtraMicroseconds(over, under) => Some((samples.median(over)? - samples.median(under)?) / 1e3),
            Of::Cost(over, under) => samples.ratio(over, under),
            Of::Rate(over, under) => samples.ratio(under, over),
        }
    }

    pub(super) fn miss(&self, samples: &Samples) -> Option<String> {
        self.target?.miss(self.name, self.value(samples))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Samples {
        let mut samples = Samples::default();
        samples.add("fast", 500.0);
        samples.add("slow", 2500.0);
        samples
    }

    #[test]
    fn a_row_of_nanoseconds_gives_each_kind_of_figure() {
        let samples = samples();
        assert_eq!(Figure::per_second("", "fast").value(&samples), Some(2e6));
        assert_eq!(Figure::microseconds("", "slow").value(&samples), Some(2.5));
        assert_eq!(Figure::extra_microseconds("", "slow", "fast").value(&samples), Some(2.0));
        assert_eq!(Figure::cost("", "slow", "fast").value(&samples), Some(5.0));
        assert_eq!(Figure::rate("", "slow", "fast").value(&samples), Some(0.2));
        assert_eq!(Figure::rate("", "slow", "other").value(&samples), None);
    }

    #[test]
    fn a_target_is_missed_on_its_wrong_side_or_when_there_is_no_figure() {
        let samples = samples();
        let figure = Figure::rate("slow/fast", "slow", "fast");
        assert_eq!(figure.miss(&samples), None);
        assert_eq!(figure.at_least(0.2).miss(&samples), None);
        assert_eq!(figure.at_least(0.7).miss(&samples).as_deref(), Some("slow/fast is 0.200, to be at least 0.7"));
        let other = Figure::cost("other/fast", "other", "fast").at_most(1.0);
        assert_eq!(other.miss(&samples).as_deref(), Some("other/fast was not measured"));
    }
}
