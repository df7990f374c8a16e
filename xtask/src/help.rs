//! [`Topic`]: what `--help` can be asked about, and its answers.

/// A subject of `--help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    All,
    Test,
    Ci,
    Bench,
    Soak,
    Promises,
}

impl Topic {
    /// The topic of a command's name.
    pub(crate) fn of(command: &str) -> Option<Self> {
        match command {
            "test" => Some(Self::Test),
            "ci" => Some(Self::Ci),
            "bench" => Some(Self::Bench),
            "soak" => Some(Self::Soak),
            "promises" => Some(Self::Promises),
            _ => None,
        }
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::All => ALL,
            Self::Test => TEST,
            Self::Ci => CI,
            Self::Bench => BENCH,
            Self::Soak => SOAK,
            Self::Promises => PROMISES,
        }
    }
}

const ALL: &str = "\
The chores of this workspace.

Usage: cargo xtask <COMMAND>

Commands:
  test      Run every test of the workspace
  ci        Run every check that CI runs, in the same order
  bench     Run a benchmark
  soak      Run events through servers that fail, for as long as you like
  promises  Check docs/promises.md against the tests there are
  help      Say this, or with a command's name, what that command does

A tool that is missing is installed: cargo's own always, servers and Python by apt-get for root on Debian and Ubuntu. Exit codes: 0 all is well, 1 something failed, 2 the command line was wrong.
";

const TEST: &str = "\
Run every test of the workspace with all features: first the doctests, then the others with nextest.
The tests start servers of their own, on free ports; redis-server, nats-server and python3 are installed when they are missing.

Usage: cargo xtask test [-- <ARGS FOR NEXTEST>...]

With arguments for nextest only nextest runs:
  cargo xtask test -- b04              tests whose name contains b04
  cargo xtask test -- -p oyez-bus      tests of one package
";

const CI: &str = "\
Run every check that CI runs, in the same order; the first that fails is the last that runs.

Usage: cargo xtask ci [--only <STEP>]... [--skip <STEP>]...
       cargo xtask ci --list

Options:
  --only <STEP>  Run this step alone (may be given several times)
  --skip <STEP>  Leave this step out (may be given several times)
  --list         Print the steps with what each does
";

const BENCH: &str = "\
Run a benchmark of the workspace in bench/, built in release.

Usage: cargo xtask bench <NAME> [ARGS]...

  bus       What an emit costs, beside other in-process buses; the ones for Node take part where Node is there

The arguments go to the benchmark: `cargo xtask bench bus --help`.
";

const SOAK: &str = "\
Run a soak of the workspace in bench/, built in release. It ends with a table and one line of JSON.

Usage: cargo xtask soak <NAME> [ARGS]...

  transports  Nodes over Redis and NATS, whose servers are killed and frozen: an event that is lost and not told of
              is a failure; `--seconds N` says how long each is soaked

The arguments go to the soak: `cargo xtask soak transports --help`.
";

const PROMISES: &str = "\
Check docs/promises.md against the tests there are.

Usage: cargo xtask promises

A row of a table in that file is `| B4 | what is promised | `b04_first_test`, `b04_second_test` |`. It is an error when
  - a row names no test, a test that does not exist, is ignored, or does not bear the row's number;
  - a test bears a number (`b04_`) and stands in no row of that number.
";
