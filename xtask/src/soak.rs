//! `cargo xtask soak`: a long run under faults, from the workspace in `bench/`.

use std::ffi::{OsStr, OsString};

use crate::cargo::cargo;
use crate::error::Error;
use crate::{process, test};

/// Builds and runs the soak `name`, with the servers that the tests use.
pub(crate) fn run(name: &OsStr, args: &[OsString]) -> Result<(), Error> {
    test::ensure_servers()?;
    let mut command = cargo(["run", "--release", "--manifest-path", "bench/Cargo.toml", "--", "soak"]);
    process::run(command.arg(name).args(args))
}
