//! The examples, as a reader would run them.

use std::time::Duration;

use crate::cargo::cargo;
use crate::error::Error;
use crate::metadata::Metadata;
use crate::process;

/// Far more than any example needs; one that hangs is a failure.
const LIMIT: Duration = Duration::from_secs(120);

/// Builds all examples in release, and runs each without arguments.
pub(super) fn run() -> Result<(), Error> {
    let metadata = Metadata::read()?;
    let facade = metadata.facade()?;
    let build = ["build", "--release", "--all-features", "--examples"];
    process::run(cargo(build).args(["--package", &facade.name]))?;
    for example in facade.examples() {
        let mut command = cargo(["run", "--release", "--all-features", "--quiet"]);
        command.args(["--package", &facade.name, "--example", example]);
        process::run_within(&mut command, LIMIT)?;
    }
    Ok(())
}
