//! [`cargo`]: a cargo command at the root of the workspace.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A cargo command at the root of the workspace, with the cargo that started this program.
pub(crate) fn cargo(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root()).args(words);
    command
}

/// The root of the workspace.
///
/// Cargo says at run time where this package is: a target folder that two clones share holds the program of one of them.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let here = PathBuf::from(here);
    here.parent().map_or_else(|| here.clone(), Path::to_path_buf)
}
