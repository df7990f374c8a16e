//! `bench soak`: runs for long while the servers fail, and counts every event.

mod emitter;
mod event;
mod ledger;
mod listener;
mod outcome;
mod plan;
mod transports;
mod weight;

use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Map, Value};

pub(crate) use self::emitter::emit;
pub(crate) use self::listener::listen;

use self::outcome::Totals;
use self::transports::soak;
use crate::backend::Backend;
use crate::failure::Failure;
use crate::machine;

#[derive(Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Two nodes emit to two processes, while the server is killed five times and frozen twice
    Transports(Transports),
}

#[derive(Args)]
struct Transports {
    /// How long each transport is soaked
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u64).range(40..))]
    seconds: u64,

    /// Only this transport
    #[arg(long, value_enum)]
    only: Option<Backend>,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Failure> {
    let What::Transports(options) = &options.what;
    let mut line = Map::new();
    let mut all = Totals::default();
    for backend in Backend::ALL.into_iter().filter(|backend| options.only.is_none_or(|only| only == *backend)) {
        let outcome = soak(backend, Duration::from_secs(options.seconds))?;
        println!("{}", outcome.tables(backend.name()));
        let totals = outcome.totals();
        totals.write(&format!("{}:", backend.name()), &mut line);
        all.add(totals);
    }
    println!(
        "- Each event of each node is to be handled once at each listener, or to be reported lost there by its link."
    );
    println!(
        "- handled, reported_lost and what follows are of both listeners together: twice what was emitted, in all."
    );
    println!("\n{} s for each transport, on {}.\n", options.seconds, machine::describe());
    let mut totals = Map::new();
    all.write("", &mut totals);
    totals.append(&mut line);
    println!("{}", Value::Object(totals));
    Ok(if all.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
