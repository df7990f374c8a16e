//! Measures oyez beside its peers, in one run.

mod backend;
mod bus;
mod child;
mod clock;
mod event;
mod failure;
mod guard;
mod machine;
mod node;
mod ratio;
mod report;
mod role;
mod rounds;
mod rows;
mod samples;
mod server;
mod soak;
mod subject;
mod target;
mod transports;
mod workers;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;

#[derive(Parser)]
#[command(version, about = "Measures oyez beside its peers, in one run")]
struct Cli {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Bench {
    /// What one emit costs in the process, beside channels, other buses and a hand-written loop
    Bus(bus::Options),

    /// Events to another process over Redis and NATS, beside their clients without oyez
    Transports(transports::Options),

    /// Runs for long while the servers fail, and counts every event
    Soak(soak::Options),

    /// What this program starts itself for
    #[command(hide = true)]
    Role(role::Options),
}

fn main() -> Result<ExitCode, Failure> {
    match Cli::parse().bench {
        Bench::Bus(options) => bus::run(&options),
        Bench::Transports(options) => transports::run(&options),
        Bench::Soak(options) => soak::run(&options),
        Bench::Role(options) => {
            role::run(&options)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
