//! [`ensure`]: a Python with what `tests/interop` needs, in a folder of its own below the target folder.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cargo::root;
use crate::error::Error;
use crate::metadata::Metadata;
use crate::{process, tool};

/// The packages, with their versions.
const REQUIREMENTS: &str = "tests/interop/requirements.txt";

/// A copy of the requirements as they were when they were installed.
const INSTALLED: &str = "installed.txt";

/// Makes the folder, unless it is there with the packages that are required today.
pub(crate) fn ensure() -> Result<(), Error> {
    let folder = Metadata::read()?.target_directory().join("tools").join("python");
    let python = folder.join("bin").join("python");
    let (required, installed) = (root().join(REQUIREMENTS), folder.join(INSTALLED));
    let wanted = read(&required)?;
    if read(&installed).is_ok_and(|there| there == wanted) && process::succeeds(Command::new(&python).arg("--version"))
    {
        return Ok(());
    }
    tool::PYTHON.ensure()?;
    process::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let pip = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--requirement"];
    process::run(Command::new(&python).args(pip).arg(&required))?;
    fs::write(&installed, wanted).map_err(|source| Error::Write { path: installed, source })
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}
