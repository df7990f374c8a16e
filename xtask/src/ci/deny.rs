//! The dependencies, by the rules of `deny.toml`.

use std::time::Duration;

use super::step::Done;
use crate::cargo::cargo;
use crate::error::Error;
use crate::{process, tool};

/// A host that cannot be reached may also not answer at all.
const FETCH_LIMIT: Duration = Duration::from_secs(120);

const NO_ADVISORIES: &str = "advisories NOT checked: their database cannot be fetched from here";

/// Checks bans, licences and sources; and advisories where their database can be fetched.
///
/// The database comes from a host of its own that a machine for CI need not reach. Its absence says nothing about the
/// dependencies, so it is told and does not fail the step.
pub(super) fn check() -> Result<Done, Error> {
    tool::DENY.ensure()?;
    process::run(&mut cargo(["deny", "--workspace", "--all-features", "check", "bans", "licenses", "sources"]))?;
    if process::run_within(&mut cargo(["deny", "fetch", "db"]), FETCH_LIMIT).is_err() {
        eprintln!("{NO_ADVISORIES}");
        return Ok(Done { note: Some(NO_ADVISORIES) });
    }
    process::run(&mut cargo(["deny", "--workspace", "--all-features", "check", "advisories"]))?;
    Ok(Done::default())
}
