//! The features of the facade, each alone.

use crate::cargo::cargo;
use crate::error::Error;
use crate::metadata::Metadata;
use crate::process;

/// Checks the facade without features, and then with each alone: nothing may lean on what another one brings in.
pub(super) fn check() -> Result<(), Error> {
    let metadata = Metadata::read()?;
    let facade = metadata.facade()?;
    with_features(&facade.name, "")?;
    for feature in facade.features() {
        with_features(&facade.name, feature)?;
    }
    Ok(())
}

/// The examples are a build of their own: what only tests and examples depend on must not help the facade.
fn with_features(package: &str, features: &str) -> Result<(), Error> {
    for targets in ["--lib", "--examples"] {
        let mut command = cargo(["clippy", "--no-default-features", "--package", package, targets]);
        if !features.is_empty() {
            command.args(["--features", features]);
        }
        process::run(command.args(["--", "-D", "warnings"]))?;
    }
    Ok(())
}
