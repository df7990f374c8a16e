//! [`Step`]: one check of CI.

use super::{deny, examples, features};
use crate::cargo::cargo;
use crate::error::Error;
use crate::test::{self, ALL};
use crate::{process, promises, soak, tool};

/// One check of CI. The order is the one in which they run: what is quick to tell comes first, and steps that share
/// build artefacts stand together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Fmt,
    Clippy,
    Promises,
    Nextest,
    Doctests,
    Doc,
    Features,
    Deny,
    Examples,
    Bench,
    Soak,
}

/// What a step that passed has to say.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// Something a reader of the table must know, such as a part that could not be checked.
    pub(super) note: Option<&'static str>,
}

impl Step {
    pub(crate) const ALL: [Self; 11] = [
        Self::Fmt,
        Self::Clippy,
        Self::Promises,
        Self::Nextest,
        Self::Doctests,
        Self::Doc,
        Self::Features,
        Self::Deny,
        Self::Examples,
        Self::Bench,
        Self::Soak,
    ];

    /// The step of that name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.name() == name)
    }

    /// The names of all steps, for a message.
    pub(crate) fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fmt => "fmt",
            Self::Clippy => "clippy",
            Self::Promises => "promises",
            Self::Nextest => "nextest",
            Self::Doctests => "doctests",
            Self::Doc => "doc",
            Self::Features => "features",
            Self::Deny => "deny",
            Self::Examples => "examples",
            Self::Bench => "bench",
            Self::Soak => "soak",
        }
    }

    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Fmt => "the code is formatted, that of the benchmarks too",
            Self::Clippy => "no warning in any target with all features",
            Self::Promises => "docs/promises.md and the tests agree",
            Self::Nextest => "every test but the doctests",
            Self::Doctests => "every example in the documentation",
            Self::Doc => "the documentation builds without a warning",
            Self::Features => "the facade and the examples build without features and with each alone",
            Self::Deny => "licences, sources and versions of the dependencies, and advisories",
            Self::Examples => "the examples build in release and run to their end",
            Self::Bench => "no warning in the workspace of the benchmarks, and its tests pass",
            Self::Soak => "events over servers that are killed and frozen: none is lost unseen",
        }
    }

    pub(super) fn run(self) -> Result<Done, Error> {
        match self {
            Self::Fmt => fmt()?,
            Self::Clippy => clippy()?,
            Self::Promises => promises::run()?,
            Self::Nextest => test::nextest(&[])?,
            Self::Doctests => test::doctests()?,
            Self::Doc => doc()?,
            Self::Features => features::check()?,
            Self::Deny => return deny::check(),
            Self::Examples => examples::run()?,
            Self::Bench => bench()?,
            Self::Soak => soak::run("transports".as_ref(), &["--seconds".into(), "40".into()])?,
        }
        Ok(Done::default())
    }
}

fn fmt() -> Result<(), Error> {
    process::run(&mut cargo(["fmt", "--all", "--check"]))?;
    let bench = ["fmt", "--manifest-path", "bench/Cargo.toml", "--check"];
    process::run(&mut cargo(bench))
}

fn clippy() -> Result<(), Error> {
    let mut command = cargo(["clippy", "--locked", "--all-targets"]);
    process::run(command.args(ALL).args(["--", "-D", "warnings"]))
}

fn doc() -> Result<(), Error> {
    let mut command = cargo(["doc", "--no-deps"]);
    process::run(command.args(ALL).env("RUSTDOCFLAGS", "-D warnings"))
}

/// What both workspaces use is compiled once: the benchmarks are checked in the target folder of this one.
fn bench() -> Result<(), Error> {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let there = |words: [&str; 2]| {
        let mut command = cargo(words);
        command.args(["--manifest-path", "bench/Cargo.toml", "--locked", "--target-dir"]).arg(&target);
        command
    };
    process::run(there(["clippy", "--all-targets"]).args(["--", "-D", "warnings"]))?;
    tool::NEXTEST.ensure()?;
    process::run(&mut there(["nextest", "run"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_found_by_its_name() {
        for step in Step::ALL {
            assert_eq!(Step::of(step.name()), Some(step));
        }
        assert_eq!(Step::of("Fmt"), None);
    }
}
