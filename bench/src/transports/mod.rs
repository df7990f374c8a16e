//! `bench transports`: oyez between two processes, beside the client libraries without it.

mod emit;
mod emitter;
mod event;
mod figure;
mod latency;
mod listener;
mod raw;
mod report;
mod setup;
mod tally;
mod throughput;
mod way;

use std::io::{IsTerminal, stderr};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::{Map, Number, Value};

pub(crate) use self::listener::{listen, listen_raw};
use crate::failure::Failure;

use self::figure::Figure;
use self::report::{Unit, table};
use self::setup::Setup;
use crate::backend::Backend;
use crate::machine;
use crate::rounds::Rounds;
use crate::samples::Samples;
use crate::subject::Row;

#[derive(Args)]
pub(crate) struct Options {
    /// Measure only this transport
    #[arg(long, value_enum)]
    only: Option<Backend>,

    /// Measure only this row and those of the same loop; may be given more than once
    #[arg(long, value_name = "ROW")]
    row: Vec<String>,

    /// Rounds that count; one more warms up
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,

    /// Exit with 1 if a target is missed, and say which on standard error
    #[arg(long)]
    check: bool,
}

impl Options {
    fn wants(&self, rows: &[Row]) -> bool {
        self.row.is_empty() || rows.iter().any(|row| self.row.contains(&row.name))
    }
}

/// How long the cost of an emit is measured in a round, for each of its rows.
const BUDGET: Duration = Duration::from_millis(100);

const ROWS: &[(&str, Unit)] = &[
    ("oyez", Unit::EventsPerSecond),
    ("raw_pipelined", Unit::EventsPerSecond),
    ("raw_awaited", Unit::EventsPerSecond),
    ("p50", Unit::Microseconds),
    ("raw_p50", Unit::Microseconds),
    ("p99", Unit::Microseconds),
    ("raw_p99", Unit::Microseconds),
    ("emit_none", Unit::Nanoseconds),
    ("emit_up", Unit::Nanoseconds),
    ("emit_frozen", Unit::Nanoseconds),
];

const ABOUT: &[&str] = &[
    "Two processes with a runtime of two threads each; every event is 200 bytes of JSON, and is decoded there. All that \
     was emitted has arrived, or there is no figure.",
    "oyez: emit in one process, to a sync handler in the other; the emitter waits for room when the outbox is over half \
     full. Its own frames come back to it, and are counted in.",
    "raw_pipelined: the client library alone (`redis`, `async-nats`), without ids, times, sequence numbers and \
     reconnects. Redis: PUBLISH in pipelines of the length that is fastest here; NATS: publish, and flush at the end.",
    "raw_awaited: each PUBLISH waits for its reply; NATS: publish and flush, which is no round trip.",
    "p50, p99: from the emit to the handler at 1,000 events a second; raw_p50, raw_p99: the same with the client alone.",
    "emit_none, emit_up, emit_frozen: what an emit costs its caller, the making of the event included, in a loop that \
     does not wait for room: without a link, with one, and with one whose server is stopped (SIGSTOP) and whose outbox \
     is full.",
];

fn figures(backend: Backend) -> Vec<Figure> {
    let awaited = Figure::rate("oyez/raw_awaited", "oyez", "raw_awaited");
    vec![
        Figure::per_second("oyez_per_s", "oyez"),
        Figure::per_second("raw_pipelined_per_s", "raw_pipelined"),
        Figure::per_second("raw_awaited_per_s", "raw_awaited"),
        Figure::rate("oyez/raw_pipelined", "oyez", "raw_pipelined").at_least(0.7),
        if backend == Backend::Redis { awaited.at_least(20.0) } else { awaited },
        Figure::cost("emit_frozen/emit_up", "emit_frozen", "emit_up").at_most(1.2),
        Figure::extra_microseconds("emit_up_extra_us", "emit_up", "emit_none").at_most(2.0),
        Figure::cost("p50/raw_p50", "p50", "raw_p50").at_most(1.3),
        Figure::microseconds("p50_us", "p50"),
        Figure::microseconds("p99_us", "p99"),
    ]
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Failure> {
    let mut line = Map::new();
    let mut misses = Vec::new();
    for backend in Backend::ALL.into_iter().filter(|backend| options.only.is_none_or(|only| only == *backend)) {
        let samples = measure(backend, options)?;
        for figure in figures(backend) {
            let rounded = figure.value(&samples).map(|value| (value * 1000.0).round() / 1000.0);
            if let Some(number) = rounded.and_then(Number::from_f64) {
                line.insert(format!("{}:{}", backend.name(), figure.name), Value::Number(number));
            }
            misses.extend(figure.miss(&samples).map(|miss| format!("{}:{miss}", backend.name())));
        }
    }
    ABOUT.iter().for_each(|about| println!("- {about}"));
    println!("\nMedians of {} rounds, on {}.\n", options.rounds, machine::describe());
    println!("{}", Value::Object(line));
    if !options.check || misses.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    misses.iter().for_each(|miss| eprintln!("missed: {miss}"));
    Ok(ExitCode::FAILURE)
}

fn measure(backend: Backend, options: &Options) -> Result<Samples, Failure> {
    let mut setup = Setup::new(backend)?;
    setup.subjects.retain(|subject| options.wants(subject.rows()));
    let rounds = Rounds { count: options.rounds.into(), budget: BUDGET };
    let samples = rounds.run(&mut setup.subjects, |round| {
        if stderr().is_terminal() {
            let end = if round == rounds.count { "\n" } else { "" };
            eprint!("\r{}: round {round} of {}{end}", backend.name(), rounds.count);
        }
    })?;
    println!("{}", table(backend.name(), ROWS, &samples));
    if backend == Backend::Redis {
        println!("Pipelines of {} commands were the fastest.\n", setup.batch);
    }
    Ok(samples)
}
