//! [`Tool`]: a program that a chore needs, how to see that it is there, and how to get it.

use std::process::Command;

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
    /// Nothing this program may install by itself: the sentence says how a person gets it.
    Person { advice: &'static str },
}

pub(crate) const NEXTEST: Tool = Tool { name: "cargo-nextest", source: Source::Package { version: "0.9.143" } };

pub(crate) const DENY: Tool = Tool { name: "cargo-deny", source: Source::Package { version: "0.20.2" } };

const NODE_ADVICE: &str = "install Node.js 18 or later, with npm";

pub(crate) const NODE: Tool = Tool { name: "node", source: Source::Person { advice: NODE_ADVICE } };

pub(crate) const NPM: Tool = Tool { name: "npm", source: Source::Person { advice: NODE_ADVICE } };

impl Tool {
    /// Sees to it that the tool is there.
    pub(crate) fn ensure(&self) -> Result<(), Error> {
        if self.is_there() {
            return Ok(());
        }
        match self.source {
            Source::Package { version } => self.install(version),
            Source::Person { advice } => Err(self.missing(advice)),
        }
    }

    fn is_there(&self) -> bool {
        let mut probe = match self.source {
            Source::Package { .. } => cargo([self.subcommand()]),
            Source::Person { .. } => Command::new(self.name),
        };
        process::succeeds(probe.arg("--version"))
    }

    fn install(&self, version: &str) -> Result<(), Error> {
        let name = self.name;
        eprintln!("{name} is missing: building version {version} of it, which takes minutes.");
        process::run(&mut cargo(["install", "--locked", &format!("{name}@{version}")]))?;
        if self.is_there() {
            return Ok(());
        }
        Err(self.missing("it was installed, but cargo does not find it; is its folder on PATH?"))
    }

    fn missing(&self, advice: &'static str) -> Error {
        Error::Missing { tool: self.name, advice }
    }

    fn subcommand(&self) -> &str {
        self.name.strip_prefix("cargo-").unwrap_or(self.name)
    }
}
