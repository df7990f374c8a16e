//! `cargo xtask promises`: `docs/promises.md` against the tests there are.

mod check;
mod id;
mod listed;
mod table;

use std::fs;

pub(crate) use self::check::Problems;

use crate::cargo::root;
use crate::error::Error;

/// Compares the file with the tests that nextest lists, and names every difference.
pub(crate) fn run() -> Result<(), Error> {
    let path = root().join("docs/promises.md");
    let text = fs::read_to_string(&path).map_err(|source| Error::Read { path, source })?;
    let tests = listed::tests()?;
    let table = table::read(&text);
    let proved = check::check(&table, &tests).map_err(Error::Promises)?;
    eprintln!("Promises: {}, each proved by a test. Tests that bear a number: {}.", proved.promises, proved.tests);
    Ok(())
}
