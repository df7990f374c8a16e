//! [`Ratio`]: two rows beside each other, and what is to be reached.

use crate::samples::Samples;
use crate::target::Target;

/// `over / under`, named that way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ratio {
    over: &'static str,
    under: &'static str,
    of: Of,
    target: Option<Target>,
}

#[derive(Debug, Clone, Copy)]
enum Of {
    /// Nanoseconds per emit.
    Cost,
    /// Emits per second of all the row's threads together.
    Throughput,
}

impl Ratio {
    pub(crate) const fn cost(over: &'static str, under: &'static str) -> Self {
        Self { over, under, of: Of::Cost, target: None }
    }

    pub(crate) const fn throughput(over: &'static str, under: &'static str) -> Self {
        Self { over, under, of: Of::Throughput, target: None }
    }

    pub(crate) const fn at_most(self, target: f64) -> Self {
        Self { target: Some(Target::AtMost(target)), ..self }
    }

    pub(crate) const fn at_least(self, target: f64) -> Self {
        Self { target: Some(Target::AtLeast(target)), ..self }
    }

    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.over, self.under)
    }

    /// `None` if one of the two rows was not measured.
    pub(crate) fn value(&self, samples: &Samples) -> Option<f64> {
        match self.of {
            Of::Cost => samples.ratio(self.over, self.under),
            Of::Throughput => samples.ratio(self.under, self.over),
        }
    }

    /// What is wrong with this run, if anything: a ratio with a target has to be measured, and reach it.
    pub(crate) fn miss(&self, samples: &Samples) -> Option<String> {
        self.target?.miss(&self.name(), self.value(samples))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(fast: f64, slow: f64) -> Samples {
        let mut samples = Samples::default();
        samples.add("fast", fast);
        samples.add("slow", slow);
        samples
    }

    #[test]
    fn a_cost_ratio_divides_the_costs_and_a_throughput_ratio_the_rates() {
        let samples = samples(10.0, 40.0);
        assert_eq!(Ratio::cost("slow", "fast").value(&samples), Some(4.0));
        assert_eq!(Ratio::throughput("slow", "fast").value(&samples), Some(0.25));
    }

    #[test]
    fn a_target_is_missed_on_its_wrong_side_or_when_there_is_no_figure() {
        let samples = samples(10.0, 40.0);
        let ratio = Ratio::cost("slow", "fast");
        assert_eq!(ratio.miss(&samples), None);
        assert_eq!(ratio.at_most(4.0).miss(&samples), None);
        assert_eq!(ratio.at_least(4.0).miss(&samples), None);
        assert_eq!(ratio.at_most(3.9).miss(&samples).as_deref(), Some("slow/fast is 4.000, to be at most 3.9"));
        assert_eq!(ratio.at_least(4.1).miss(&samples).as_deref(), Some("slow/fast is 4.000, to be at least 4.1"));
        let other = Ratio::cost("other", "fast").at_most(1.0);
        assert_eq!(other.miss(&samples).as_deref(), Some("other/fast was not measured"));
    }
}
