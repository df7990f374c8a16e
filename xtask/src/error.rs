//! [`Error`]: why a chore could not be done.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use crate::promises::Problems;

/// Why a chore could not be done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("`{command}` cannot be run")]
    NotRun { command: String, source: io::Error },
    #[error("`{command}` failed ({status})")]
    Failed { command: String, status: ExitStatus },
    #[error("`{command}` was stopped: it did not end within {} s", limit.as_secs())]
    TimedOut { command: String, limit: Duration },
    #[error("what `{command}` printed cannot be read")]
    Output { command: String, source: serde_json::Error },
    #[error("{} cannot be read", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} cannot be written", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{tool} is missing: {advice}")]
    Missing { tool: &'static str, advice: &'static str },
    #[error("the workspace's root holds no package")]
    NoFacade,
    #[error("docs/promises.md and the tests disagree:\n{0}")]
    Promises(Problems),
    #[error("step `{step}` failed; to run it alone: cargo xtask ci --only {step}")]
    Step { step: &'static str, source: Box<Error> },
    #[error("{} of the test runs failed: {}", failed.len(), failed.join(", "))]
    Tests { failed: Vec<&'static str> },
}
