//! Packages of Debian and Ubuntu, installed by apt-get.

use std::io;
use std::process::Command;

use crate::error::Error;
use crate::process;

/// Whether this machine has apt-get, and we are root: nobody is asked for a password.
pub(crate) fn may_install() -> bool {
    let user = Command::new("id").arg("-u").output();
    let is_root = user.is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    is_root && process::succeeds(Command::new("apt-get").arg("--version"))
}

/// Installs a package; at a second try with fresh lists, since a new machine has none.
pub(crate) fn install(package: &str) -> Result<(), Error> {
    let install = ["install", "-y", "--no-install-recommends", package];
    if process::run(&mut apt_get(&install)).is_ok() {
        return Ok(());
    }
    process::run(&mut apt_get(&["update"]))?;
    process::run(&mut apt_get(&install))
}

fn apt_get(words: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    // Somebody else may be installing: wait for them.
    command.args(["-q", "-o", "DPkg::Lock::Timeout=120"]).args(words);
    // stdout belongs to whatever needs the package.
    command.env("DEBIAN_FRONTEND", "noninteractive").stdout(io::stderr());
    command
}
