//! `cargo xtask ci`: every check, one after the other, and a table of how they went.

mod deny;
mod examples;
mod features;
mod report;
mod selection;
mod step;

use std::time::Instant;

pub(crate) use self::selection::Selection;
pub(crate) use self::step::Step;

use self::report::{Outcome, Report};
use self::step::Done;
use crate::error::Error;

/// Runs the chosen steps in order, up to and with the first that fails.
pub(crate) fn run(selection: &Selection) -> Result<(), Error> {
    let mut report = Report::default();
    let mut failure = None;
    for step in Step::ALL {
        if !selection.chooses(step) {
            report.add(step, Outcome::LeftOut);
            continue;
        }
        if failure.is_some() {
            report.add(step, Outcome::NotReached);
            continue;
        }
        eprintln!("\n== {}: {}", step.name(), step.about());
        let start = Instant::now();
        let result = step.run();
        let took = start.elapsed();
        match result {
            Ok(Done { note }) => report.add(step, Outcome::Passed { took, note }),
            Err(source) => {
                report.add(step, Outcome::Failed { took });
                failure = Some((step, source));
            }
        }
        eprintln!("== {}: {}", step.name(), report::seconds(took));
    }
    println!("\n{report}");
    match failure {
        None => Ok(()),
        Some((step, source)) => Err(Error::Step { step: step.name(), source: Box::new(source) }),
    }
}

/// Prints the steps in the order in which they run.
pub(crate) fn list() {
    for step in Step::ALL {
        println!("{:10} {}", step.name(), step.about());
    }
}
