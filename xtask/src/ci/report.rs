//! [`Report`]: the table at the end of a run.

use std::fmt;
use std::time::Duration;

use super::Step;

/// What became of each step.
#[derive(Debug, Default)]
pub(super) struct Report {
    rows: Vec<(Step, Outcome)>,
}

/// What became of a step.
#[derive(Debug)]
pub(super) enum Outcome {
    Passed { took: Duration, note: Option<&'static str> },
    Failed { took: Duration },
    LeftOut,
    NotReached,
}

impl Report {
    pub(super) fn add(&mut self, step: Step, outcome: Outcome) {
        self.rows.push((step, outcome));
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:10} {:12} {:>9}", "step", "result", "time")?;
        let mut total = Duration::ZERO;
        for (step, outcome) in &self.rows {
            let (result, took, note) = match outcome {
                Outcome::Passed { took, note } => ("passed", *took, note.as_deref()),
                Outcome::Failed { took } => ("FAILED", *took, None),
                Outcome::LeftOut => ("left out", Duration::ZERO, None),
                Outcome::NotReached => ("not reached", Duration::ZERO, None),
            };
            total += took;
            write!(f, "{:10} {result:12} {:>9}", step.name(), seconds(took))?;
            match note {
                Some(note) => writeln!(f, "  {note}")?,
                None => writeln!(f)?,
            }
        }
        write!(f, "{:10} {:12} {:>9}", "", "", seconds(total))
    }
}

/// A duration in seconds with one decimal.
pub(super) fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_what_became_of_its_step() {
        let mut report = Report::default();
        let took = Duration::from_millis(61_250);
        let note = Some("half of it");
        report.add(Step::Fmt, Outcome::LeftOut);
        report.add(Step::Deny, Outcome::Passed { took, note });
        report.add(Step::Examples, Outcome::Failed { took });
        report.add(Step::Bench, Outcome::NotReached);
        let expected = "\
step       result            time
fmt        left out         0.0 s
deny       passed          61.2 s  half of it
examples   FAILED          61.2 s
bench      not reached      0.0 s
                          122.5 s";
        assert_eq!(report.to_string(), expected);
    }
}
