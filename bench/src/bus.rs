//! `bench bus`: what one emit costs in the process.

use std::io::{IsTerminal, stderr};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use crate::failure::Failure;
use crate::ratio::Ratio;
use crate::rounds::Rounds;
use crate::rows;
use crate::subject::{Group, Row};
use crate::{machine, report};

#[derive(Args)]
pub(crate) struct Options {
    /// Rounds that count; one more warms up
    #[arg(long, value_name = "N", default_value_t = 31, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,

    /// How long each row is measured in a round, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 25, value_parser = clap::value_parser!(u16).range(1..))]
    row_ms: u16,

    /// A look, not a measurement: 3 rounds of 10 ms a row
    #[arg(long, conflicts_with_all = ["rounds", "row_ms"])]
    quick: bool,

    /// Measure only this row, or with `*` at the end all rows that begin so; may be given more than once
    #[arg(long, value_name = "ROW")]
    only: Vec<String>,

    /// Print the JSON line alone
    #[arg(long)]
    json_only: bool,

    /// Exit with 1 if a target is missed, and say which on standard error
    #[arg(long)]
    check: bool,
}

const RATIOS: &[Ratio] = &[
    Ratio::cost("emit_0", "broadcast_1").at_most(0.15),
    Ratio::cost("emit_1", "broadcast_1").at_most(1.4),
    Ratio::cost("emit_10", "broadcast_10").at_most(0.6),
    Ratio::cost("emit_10", "floor_10").at_most(1.6),
    Ratio::cost("sync_16", "broadcast_16").at_most(0.2),
    Ratio::cost("tokio_events_1", "emit_1").at_least(10.0),
    Ratio::throughput("two_types", "two_loops").at_least(0.85),
    Ratio::throughput("same_type", "one_thread").at_least(1.0),
    Ratio::cost("emit_1", "floor_1"),
    Ratio::cost("emit_1", "async_broadcast_1"),
    Ratio::cost("emit_10", "async_broadcast_10"),
    Ratio::cost("tokio_events_10", "emit_10"),
    Ratio::cost("tokio_events_batch_1", "emit_1"),
    Ratio::cost("sync_1", "bevy_1"),
    Ratio::cost("sync_10", "bevy_10"),
    Ratio::cost("sync_1", "event_emitter_1"),
    Ratio::cost("sync_10", "event_emitter_10"),
    Ratio::cost("emittery_1", "emit_1"),
    Ratio::cost("emittery_10", "emit_10"),
    Ratio::throughput("two_types", "one_thread"),
    Ratio::throughput("two_loops", "one_loop"),
];

pub(crate) fn run(options: &Options) -> Result<ExitCode, Failure> {
    let mut abouts = Vec::new();
    let mut subjects = Vec::new();
    for Group { about, subjects: mut members } in rows::groups()? {
        members.retain(|subject| subject.rows().iter().any(|row| options.wants(row)));
        if !members.is_empty() {
            abouts.push(about);
            subjects.append(&mut members);
        }
    }
    let rows: Vec<Row> = subjects.iter().flat_map(|subject| subject.rows()).cloned().collect();

    let rounds = options.rounds();
    let samples = rounds.run(&mut subjects, |round| {
        if stderr().is_terminal() {
            eprint!("\rround {round} of {}{}", rounds.count, if round == rounds.count { "\n" } else { "" });
        }
    })?;

    if !options.json_only {
        println!("{}", report::table(&rows, &samples));
        abouts.iter().for_each(|about| println!("- {about}"));
        println!(
            "\nMedians of {} rounds of {} ms a row, on {}.\n",
            rounds.count,
            rounds.budget.as_millis(),
            machine::describe()
        );
    }
    println!("{}", report::json(RATIOS, &samples));

    let misses: Vec<_> = RATIOS.iter().filter_map(|ratio| ratio.miss(&samples)).collect();
    if !options.check || misses.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    misses.iter().for_each(|miss| eprintln!("missed: {miss}"));
    Ok(ExitCode::FAILURE)
}

impl Options {
    fn wants(&self, row: &Row) -> bool {
        let named = |only: &String| match only.strip_suffix('*') {
            Some(start) => row.name.starts_with(start),
            None => row.name == *only,
        };
        self.only.is_empty() || self.only.iter().any(named)
    }

    fn rounds(&self) -> Rounds {
        let (count, budget) = if self.quick { (3, 10) } else { (self.rounds, self.row_ms) };
        Rounds { count: count.into(), budget: Duration::from_millis(budget.into()) }
    }
}
