//! `cargo xtask test`: every test of the workspace.

use std::ffi::{OsStr, OsString};

use crate::cargo::cargo;
use crate::error::Error;
use crate::{process, python, tool};

/// Which packages and features the tests are built with; the same everywhere, so that they are built once.
pub(crate) const ALL: [&str; 2] = ["--workspace", "--all-features"];

/// Runs the doctests and the other tests; with arguments for nextest only the latter.
///
/// The doctests come first, so that nextest's summary is the last thing on the screen. A failure in the one does not
/// hide those in the other.
pub(crate) fn run(args: &[OsString]) -> Result<(), Error> {
    if !args.is_empty() {
        return nextest(args);
    }
    let runs = [("doctests", doctests()), ("nextest", nextest(&[]))];
    let mut failed = Vec::new();
    for (name, outcome) in runs {
        match outcome {
            Ok(()) => {}
            Err(Error::Failed { .. }) => failed.push(name),
            Err(other) => return Err(other),
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(Error::Tests { failed })
}

/// Every test but the doctests, or those that the arguments choose. The examples are built too, but not run.
pub(crate) fn nextest(args: &[OsString]) -> Result<(), Error> {
    tool::NEXTEST.ensure()?;
    let mut command = cargo(["nextest", "run", "--all-features"]);
    let whole = !args.iter().any(|word| chooses_packages(word));
    if whole {
        command.arg("--workspace");
    }
    match ensure_servers().and_then(|()| python::ensure()) {
        Ok(()) => {}
        Err(error) if whole => return Err(error),
        // Most packages need none of it, and the tests that do say so themselves.
        Err(error) => eprintln!("{error}"),
    }
    process::run(command.args(args))
}

/// The servers that tests and soaks start for themselves.
pub(crate) fn ensure_servers() -> Result<(), Error> {
    tool::REDIS.ensure()?;
    tool::NATS.ensure()
}

pub(crate) fn doctests() -> Result<(), Error> {
    process::run(cargo(["test", "--doc", "--no-fail-fast"]).args(ALL))
}

fn chooses_packages(word: &OsStr) -> bool {
    let word = word.as_encoded_bytes();
    word.starts_with(b"-p") || word.starts_with(b"--package")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_chosen_by_their_option() {
        let chosen = |word: &str| chooses_packages(OsStr::new(word));
        for word in ["-p", "-poyez-bus", "--package", "--package=oyez-bus"] {
            assert!(chosen(word), "{word}");
        }
        for word in ["--profile", "--no-fail-fast", "b04", "p", "--"] {
            assert!(!chosen(word), "{word}");
        }
    }
}
