//! [`Tool`]: a program that a chore needs, how to see that it is there, and how to get it.

use std::env;
use std::path::Path;
use std::process::Command;

use crate::apt;
use crate::cargo::cargo;
use crate::error::Error;
use crate::process;

/// A program that a chore needs.
pub(crate) struct Tool {
    name: &'static str,
    source: Source,
}

/// Where a tool comes from.
enum Source {
    /// A cargo subcommand in a package of the same name; this version is installed when none is there.
    Package { version: &'static str },
    /// A program in this package of Debian and Ubuntu, which answers when it is started with `probe`. Where that package
    /// cannot be installed, the sentence says how a person gets it.
    System { package: &'static str, probe: &'static [&'static str], advice: &'static str },
    /// Nothing this program may install by itself: the sentence says how a person gets it.
    Person { advice: &'static str },
}

pub(crate) const NEXTEST: Tool = Tool { name: "cargo-nextest", source: Source::Package { version: "0.9.143" } };

pub(crate) const DENY: Tool = Tool { name: "cargo-deny", source: Source::Package { version: "0.20.2" } };

const NODE_ADVICE: &str = "install Node.js 18 or later, with npm";

pub(crate) const NODE: Tool = Tool { name: "node", source: Source::Person { advice: NODE_ADVICE } };

pub(crate) const NPM: Tool = Tool { name: "npm", source: Source::Person { advice: NODE_ADVICE } };

pub(crate) const REDIS: Tool = Tool {
    name: "redis-server",
    source: Source::System {
        package: "redis-server",
        probe: &["--version"],
        advice: "install Redis 6 or later (Debian, as root: apt-get install redis-server; macOS: brew install redis)",
    },
};

pub(crate) const NATS: Tool = Tool {
    name: "nats-server",
    source: Source::System {
        package: "nats-server",
        probe: &["--version"],
        advice: "install NATS 2.9 or later (Debian, as root: apt-get install nats-server; macOS: brew install nats-server; \
                 others: https://github.com/nats-io/nats-server/releases)",
    },
};

pub(crate) const PYTHON: Tool = Tool {
    name: "python3",
    source: Source::System {
        package: "python3-venv",
        probe: &["-c", "import ensurepip, venv"],
        advice: "install Python 3.10 or later with its module venv (Debian, as root: apt-get install python3-venv)",
    },
};

/// Where servers are installed besides the folders of `PATH`, which lacks these for most people.
const MORE_FOLDERS: [&str; 2] = ["/usr/sbin", "/usr/local/sbin"];

impl Tool {
    /// Sees to it that the tool is there.
    pub(crate) fn ensure(&self) -> Result<(), Error> {
        if self.is_there() {
            return Ok(());
        }
        match self.source {
            Source::Package { version } => self.build(version),
            Source::System { package, advice, .. } => self.install(package, advice),
            Source::Person { advice } => Err(self.missing(advice)),
        }
    }

    fn is_there(&self) -> bool {
        let mut probe = match self.source {
            Source::Package { .. } => cargo([self.subcommand(), "--version"]),
            Source::System { probe, .. } => command(self.name, probe),
            Source::Person { .. } => command(self.name, &["--version"]),
        };
        process::succeeds(&mut probe)
    }

    fn build(&self, version: &str) -> Result<(), Error> {
        let name = self.name;
        eprintln!("{name} is missing: building version {version} of it, which takes minutes.");
        process::run(&mut cargo(["install", "--locked", &format!("{name}@{version}")]))?;
        if self.is_there() {
            return Ok(());
        }
        Err(self.missing("it was installed, but cargo does not find it; is its folder on PATH?"))
    }

    fn install(&self, package: &str, advice: &'static str) -> Result<(), Error> {
        if !apt::may_install() {
            return Err(self.missing(advice));
        }
        eprintln!("{} is missing: installing the package {package}.", self.name);
        apt::install(package)?;
        if self.is_there() { Ok(()) } else { Err(self.missing(advice)) }
    }

    fn missing(&self, advice: &'static str) -> Error {
        Error::Missing { tool: self.name, advice }
    }

    fn subcommand(&self) -> &str {
        self.name.strip_prefix("cargo-").unwrap_or(self.name)
    }
}

/// A command of the program that a shell would find, or that stands in one of the folders for servers.
fn command(program: &str, args: &[&str]) -> Command {
    let more = MORE_FOLDERS.map(|folder| Path::new(folder).join(program));
    let in_path =
        env::split_paths(&env::var_os("PATH").unwrap_or_default()).any(|folder| folder.join(program).is_file());
    let found = more.into_iter().find(|path| !in_path && path.is_file());
    let mut command = Command::new(found.unwrap_or_else(|| program.into()));
    command.args(args);
    command
}
