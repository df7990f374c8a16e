//! [`check`]: whether the rows and the tests agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::id::Id;
use super::listed::Test;
use super::table::Table;

/// How much is proved when all is well.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Proved {
    pub(super) promises: usize,
    pub(super) tests: usize,
}

/// Every difference between the rows and the tests; never empty.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problems(Vec<Problem>);

/// One difference between the rows and the tests.
#[derive(Debug, PartialEq, Eq)]
enum Problem {
    NoRows,
    Malformed { line: usize, text: String },
    Repeated { id: Id, line: usize },
    Unproved { id: Id, line: usize },
    Missing { id: Id, line: usize, test: String },
    Ignored { id: Id, line: usize, test: String },
    WrongNumber { id: Id, line: usize, test: String },
    NoRow { id: Id, test: Test },
    Unlisted { id: Id, test: Test },
}

/// Compares what the file says with the tests there are.
pub(super) fn check(table: &Table, tests: &[Test]) -> Result<Proved, Problems> {
    let mut problems = Vec::new();
    let listed = rows(table, tests, &mut problems);
    let bearing = bearers(&listed, tests, &mut problems);
    if !problems.is_empty() {
        return Err(Problems(problems));
    }
    Ok(Proved { promises: listed.len(), tests: bearing })
}

/// What each row names, by its id.
type Listed<'a> = BTreeMap<Id, BTreeSet<&'a str>>;

/// From the rows to the tests: each row is proved by tests that exist, run, and bear its number.
fn rows<'a>(table: &'a Table, tests: &[Test], problems: &mut Vec<Problem>) -> Listed<'a> {
    for malformed in &table.malformed {
        problems.push(Problem::Malformed { line: malformed.number, text: malformed.text.clone() });
    }
    if table.rows.is_empty() {
        problems.push(Problem::NoRows);
    }
    let mut listed = Listed::new();
    for row in &table.rows {
        let (id, line) = (row.id, row.line);
        if listed.contains_key(&id) {
            problems.push(Problem::Repeated { id, line });
        }
        if row.tests.is_empty() {
            problems.push(Problem::Unproved { id, line });
        }
        let names = listed.entry(id).or_default();
        for name in &row.tests {
            names.insert(name.as_str());
            let test = name.clone();
            let mut same_name = tests.iter().filter(|test| test.name == *name).peekable();
            if !Id::borne_by(name).any(|borne| borne == id) {
                problems.push(Problem::WrongNumber { id, line, test });
            } else if same_name.peek().is_none() {
                problems.push(Problem::Missing { id, line, test });
            } else if same_name.any(|test| test.ignored) {
                problems.push(Problem::Ignored { id, line, test });
            }
        }
    }
    listed
}

/// From the tests to the rows: each test that bears a number stands in the row of that number. Returns how many do.
///
/// What follows the first number is one only where it has a row, so that `b19_v1_is_read` may speak of a version.
fn bearers(listed: &Listed<'_>, tests: &[Test], problems: &mut Vec<Problem>) -> usize {
    let mut count = 0;
    for test in tests {
        for (index, id) in Id::borne_by(&test.name).enumerate() {
            count += usize::from(index == 0);
            let test = test.clone();
            match listed.get(&id) {
                Some(names) if names.contains(test.name.as_str()) => {}
                Some(_) => problems.push(Problem::Unlisted { id, test }),
                None if index == 0 => problems.push(Problem::NoRow { id, test }),
                None => {}
            }
        }
    }
    count
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.0 {
            writeln!(f, "  {problem}")?;
        }
        write!(f, "{} in all", self.0.len())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRows => write!(f, "the file has no row"),
            Self::Malformed { line, text } => {
                write!(f, "line {line}: not a row `| B4 | text | `b04_test`, … |`: {text}")
            }
            Self::Repeated { id, line } => write!(f, "line {line}: {id} has a row already"),
            Self::Unproved { id, line } => write!(f, "line {line}: {id} names no test"),
            Self::Missing { id, line, test } => {
                write!(f, "line {line}: {id} names `{test}`, which does not exist")
            }
            Self::Ignored { id, line, test } => {
                write!(f, "line {line}: {id} names `{test}`, which is ignored")
            }
            Self::WrongNumber { id, line, test } => {
                write!(f, "line {line}: {id} names `{test}`, which does not bear that number")
            }
            Self::NoRow { id, test } => write!(f, "`{}` in {} bears {id}, which has no row", test.name, test.binary),
            Self::Unlisted { id, test } => {
                write!(f, "`{}` in {} bears {id}, whose row does not name it", test.name, test.binary)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;

    fn test(name: &str) -> Test {
        Test { name: name.to_owned(), binary: "oyez::bus".to_owned(), ignored: false }
    }

    fn checked(rows: &str, tests: &[Test]) -> Result<Proved, Vec<String>> {
        let table = table::read(&format!("| Id | Promise | Tests |\n|--|--|--|\n{rows}"));
        let lines = |problems: Problems| problems.0.iter().map(Problem::to_string).collect();
        check(&table, tests).map_err(lines)
    }

    #[test]
    fn rows_and_tests_that_agree_pass() {
        let rows = "\
            | B12 | untyped | `b12_unknown_names_pass`, `b12_d1_a_map_decodes` |\n\
            | b19 | versions | `b19_v1_is_read` |\n\
            | D01 | typed map | `b12_d1_a_map_decodes` |\n";
        let tests = [
            test("b12_unknown_names_pass"),
            test("b12_d1_a_map_decodes"),
            test("b19_v1_is_read"),
            test("a_test_without_a_number"),
        ];
        let proved = Proved { promises: 3, tests: 3 };
        assert_eq!(checked(rows, &tests), Ok(proved));
    }

    #[test]
    fn every_problem_of_the_rows_is_named() {
        let rows = "\
            | B1 | order | |\n\
            | B2 | concurrency | `b02_gone`, `b03_other`, `b02_sleeps` |\n\
            | B3 | isolation | `b03_other` |\n\
            | b03 | again | `b03_other` |\n\
            | B-4 | a slip | `b03_other` |\n";
        let mut asleep = test("b02_sleeps");
        asleep.ignored = true;
        let problems = [
            "line 7: not a row `| B4 | text | `b04_test`, … |`: | B-4 | a slip | `b03_other` |",
            "line 3: B1 names no test",
            "line 4: B2 names `b02_gone`, which does not exist",
            "line 4: B2 names `b03_other`, which does not bear that number",
            "line 4: B2 names `b02_sleeps`, which is ignored",
            "line 6: B3 has a row already",
        ];
        let expected = Err(problems.map(str::to_owned).to_vec());
        assert_eq!(checked(rows, &[test("b03_other"), asleep]), expected);
    }

    #[test]
    fn every_problem_of_the_tests_is_named() {
        let rows = "| B1 | order | `b01_listed` |\n";
        let tests =
            [test("b01_listed"), test("b01_forgotten"), test("c07_without_a_row"), test("c08_b01_forgotten_too")];
        let problems = [
            "`b01_forgotten` in oyez::bus bears B1, whose row does not name it",
            "`c07_without_a_row` in oyez::bus bears C7, which has no row",
            "`c08_b01_forgotten_too` in oyez::bus bears C8, which has no row",
            "`c08_b01_forgotten_too` in oyez::bus bears B1, whose row does not name it",
        ];
        let expected = Err(problems.map(str::to_owned).to_vec());
        assert_eq!(checked(rows, &tests), expected);
    }

    #[test]
    fn a_file_without_rows_promises_nothing_and_fails() {
        let expected = Err(vec!["the file has no row".to_owned()]);
        assert_eq!(checked("", &[]), expected);
    }
}
