//! [`tests`]: the tests that nextest lists.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::cargo::cargo;
use crate::error::Error;
use crate::test::ALL;
use crate::{process, tool};

/// A test there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Test {
    /// The name of its function, without the modules it stands in.
    pub(super) name: String,
    /// The binary it stands in, as nextest names it.
    pub(super) binary: String,
    /// Whether it is marked `#[ignore]`.
    pub(super) ignored: bool,
}

#[derive(Deserialize)]
struct List {
    #[serde(rename = "rust-suites")]
    suites: BTreeMap<String, Suite>,
}

#[derive(Deserialize)]
struct Suite {
    testcases: BTreeMap<String, Case>,
}

#[derive(Deserialize)]
struct Case {
    ignored: bool,
}

/// Builds the tests of the workspace and lists them.
pub(super) fn tests() -> Result<Vec<Test>, Error> {
    tool::NEXTEST.ensure()?;
    let mut command = cargo(["nextest", "list", "--message-format", "json"]);
    let json = process::output(command.args(ALL))?;
    parse(&json).map_err(|source| Error::Output { command: process::shown(&command), source })
}

fn parse(json: &[u8]) -> Result<Vec<Test>, serde_json::Error> {
    let list: List = serde_json::from_slice(json)?;
    let mut tests = Vec::new();
    for (binary, suite) in list.suites {
        for (path, case) in suite.testcases {
            let name = path.rsplit("::").next().unwrap_or(&path);
            tests.push(Test { name: name.to_owned(), binary: binary.clone(), ignored: case.ignored });
        }
    }
    Ok(tests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_known_by_the_name_of_its_function() {
        let json = br#"{
            "rust-build-meta": {}, "test-count": 2,
            "rust-suites": {"oyez::order": {"package-name": "oyez", "testcases": {
                "nested::b01_first": {"kind": "test", "ignored": false, "filter-match": {"status": "matches"}},
                "b02_second": {"kind": "test", "ignored": true}
            }}}
        }"#;
        let test = |name: &str, ignored| Test { name: name.to_owned(), binary: "oyez::order".to_owned(), ignored };
        let expected = [test("b02_second", true), test("b01_first", false)];
        assert_eq!(parse(json).unwrap(), expected);
    }
}
