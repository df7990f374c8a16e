//! Measures oyez beside its peers, in one process and in one run.

mod bus;
mod event;
mod machine;
mod ratio;
mod report;
mod rounds;
mod rows;
mod samples;
mod subject;
mod workers;

use std::error::Error;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(version, about = "Measures oyez beside its peers, in one process and in one run")]
struct Cli {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Bench {
    /// What one emit costs in the process, beside channels, other buses and a hand-written loop
    Bus(bus::Options),
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    match Cli::parse().bench {
        Bench::Bus(options) => bus::run(&options),
    }
}
