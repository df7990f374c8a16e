//! `cargo xtask bench`: a benchmark of the workspace in `bench/`.

use std::ffi::{OsStr, OsString};
use std::process::Command;

use crate::cargo::{cargo, root};
use crate::error::Error;
use crate::process;
use crate::tool;

/// Builds and runs the benchmark `name`.
pub(crate) fn run(name: &OsStr, args: &[OsString]) -> Result<(), Error> {
    if name == "bus"
        && let Err(error) = install_node_peers()
    {
        eprintln!("The buses for Node do not take part: {error}.");
    }
    let mut command = cargo(["run", "--release", "--manifest-path", "bench/Cargo.toml"]);
    process::run(command.arg("--").arg(name).args(args))
}

/// Brings in the packages of `bench/node` at the versions its lock file names.
fn install_node_peers() -> Result<(), Error> {
    tool::NODE.ensure()?;
    tool::NPM.ensure()?;
    let mut npm = Command::new("npm");
    npm.current_dir(root().join("bench/node"));
    // stdout belongs to the benchmark, whose last line is read by programs.
    npm.stdout(std::io::stderr());
    process::run(npm.args(["ci", "--no-audit", "--no-fund"]))
}
