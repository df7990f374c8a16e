//! [`Samples`]: the figures of every round, their medians, and the medians of their ratios.

use std::collections::HashMap;

/// Nanoseconds per emit by row, one figure a round.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    by_row: HashMap<String, Vec<f64>>,
}

impl Samples {
    pub(crate) fn add(&mut self, row: &str, nanoseconds: f64) {
        self.by_row.entry(row.to_owned()).or_default().push(nanoseconds);
    }

    /// The median over the rounds; `None` for a row that was not measured.
    pub(crate) fn median(&self, row: &str) -> Option<f64> {
        median(&mut self.by_row.get(row)?.clone())
    }

    /// How far the middle half of the rounds lies apart, as a share of the median.
    pub(crate) fn spread(&self, row: &str) -> Option<f64> {
        let mut figures = self.by_row.get(row)?.clone();
        let middle = median(&mut figures)?;
        let quarter = figures.len() / 4;
        Some((figures[figures.len() - 1 - quarter] - figures[quarter]) / middle)
    }

    /// The median of what each round's own two figures give: a slow moment of the machine meets both.
    pub(crate) fn ratio(&self, numerator: &str, denominator: &str) -> Option<f64> {
        let (over, under) = (self.by_row.get(numerator)?, self.by_row.get(denominator)?);
        median(&mut over.iter().zip(under).map(|(over, under)| over / under).collect::<Vec<_>>())
    }
}

/// Sorts `figures`; `None` if there are none.
pub(crate) fn median(figures: &mut [f64]) -> Option<f64> {
    figures.sort_unstable_by(f64::total_cmp);
    let upper = figures.get(figures.len() / 2)?;
    let lower = &figures[(figures.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(rows: &[(&str, &[f64])]) -> Samples {
        let mut samples = Samples::default();
        for (row, figures) in rows {
            figures.iter().for_each(|figure| samples.add(row, *figure));
        }
        samples
    }

    #[test]
    fn the_median_is_the_middle_figure_or_between_the_two_middle_ones() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&mut []), None);
    }

    #[test]
    fn a_ratio_is_the_median_of_the_rounds_ratios_and_not_the_ratio_of_the_medians() {
        let samples = samples(&[("a", &[1.0, 20.0, 3.0]), ("b", &[2.0, 40.0, 1.0])]);
        assert_eq!(samples.ratio("a", "b"), Some(0.5));
        assert_eq!(samples.median("a"), Some(3.0));
        assert_eq!(samples.median("b"), Some(2.0));
    }

    #[test]
    fn the_spread_leaves_the_outer_quarters_out() {
        let samples = samples(&[("a", &[100.0, 9.0, 10.0, 11.0, 1.0])]);
        assert_eq!(samples.spread("a"), Some(0.2));
    }

    #[test]
    fn a_row_that_was_not_measured_has_no_figures() {
        let samples = samples(&[("a", &[1.0])]);
        assert_eq!(samples.median("b"), None);
        assert_eq!(samples.ratio("a", "b"), None);
    }
}
