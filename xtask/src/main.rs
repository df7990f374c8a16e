//! `cargo xtask`: runs the tests, the checks of CI, the benchmarks, the soaks, and the check of the promises.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line talks to its terminal")]

mod apt;
mod args;
mod bench;
mod cargo;
mod ci;
mod error;
mod help;
mod metadata;
mod process;
mod promises;
mod python;
mod soak;
mod test;
mod tool;

use std::error::Error as _;
use std::process::ExitCode;

use crate::args::Invocation;
use crate::error::Error;

/// The exit code of a command line that nobody can make sense of.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let invocation = match args::parse(std::env::args_os().skip(1)) {
        Ok(invocation) => invocation,
        Err(error) => {
            eprintln!("error: {error}\n\nFor what there is, run `cargo xtask --help`.");
            return ExitCode::from(USAGE);
        }
    };
    match run(invocation) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(invocation: Invocation) -> Result<(), Error> {
    match invocation {
        Invocation::Help(topic) => {
            print!("{}", topic.text());
            Ok(())
        }
        Invocation::Test { nextest } => test::run(&nextest),
        Invocation::Ci(selection) => ci::run(&selection),
        Invocation::CiList => {
            ci::list();
            Ok(())
        }
        Invocation::Bench { name, args } => bench::run(&name, &args),
        Invocation::Soak { name, args } => soak::run(&name, &args),
        Invocation::Promises => promises::run(),
    }
}

fn report(error: &Error) {
    eprintln!("error: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        eprintln!("  because: {cause}");
        source = cause.source();
    }
}
