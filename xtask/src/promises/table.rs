//! [`read`]: the rows of `docs/promises.md`.

use super::id::Id;

/// What the file says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) rows: Vec<Row>,
    /// Lines of a table that are no rows as they should be.
    pub(super) malformed: Vec<Line>,
}

/// A promise, and the tests that are said to prove it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) id: Id,
    pub(super) tests: Vec<String>,
}

/// A line of the file, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) text: String,
}

/// Reads every table of a Markdown text. Each line after a table's head is a promise's row, and what is none is kept
/// as malformed, so that a slip of the pen does not lose a promise.
pub(super) fn read(markdown: &str) -> Table {
    let mut table = Table::default();
    let mut in_body = false;
    for (index, text) in markdown.lines().enumerate() {
        let text = text.trim();
        let number = index + 1;
        if !text.starts_with('|') {
            in_body = false;
        } else if is_rule(text) {
            in_body = true;
        } else if in_body {
            match row(number, text) {
                Some(row) => table.rows.push(row),
                None => table.malformed.push(Line { number, text: text.to_owned() }),
            }
        }
    }
    table
}

/// The line between a table's head and its body: `|---|:--|`.
fn is_rule(text: &str) -> bool {
    text.contains('-') && text.chars().all(|c| "|-: ".contains(c))
}

fn row(line: usize, text: &str) -> Option<Row> {
    let cells = cells(text);
    let [id, _, tests] = cells.as_slice() else {
        return None;
    };
    Some(Row { line, id: Id::of(id)?, tests: names(tests)? })
}

/// The cells of a row. `\|` is a part of the text.
fn cells(text: &str) -> Vec<String> {
    let inner = text.strip_prefix('|').unwrap_or(text);
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let escaped = inner.replace(r"\|", "\0");
    escaped.split('|').map(|cell| cell.trim().replace('\0', "|")).collect()
}

/// The names between backticks, with commas between them; none in an empty cell.
fn names(cell: &str) -> Option<Vec<String>> {
    if cell.is_empty() {
        return Some(Vec::new());
    }
    cell.split(',').map(name).collect()
}

fn name(text: &str) -> Option<String> {
    let name = text.trim().strip_prefix('`')?.strip_suffix('`')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = include_str!("sample.md");

    #[test]
    fn rows_of_all_tables_are_read() {
        let table = read(SAMPLE);
        assert_eq!(table.malformed, []);
        let rows: Vec<_> = table.rows.iter().map(|row| (row.line, row.id.to_string(), row.tests.join(" "))).collect();
        let expected = [
            (9, "B1", "b01_handlers_start_in_order"),
            (10, "B2", "b02_all_are_driven b02_sequential_waits"),
            (11, "B3", ""),
            (17, "C1", "c01_handler_subscribes"),
        ];
        assert_eq!(rows, expected.map(|(line, id, tests)| (line, id.to_owned(), tests.to_owned())));
    }

    #[test]
    fn lines_that_are_no_rows_are_kept() {
        let body = "\
            | B-1 | text | `b01_x` |\n\
            | B1 | text |\n\
            | B1 | a | b | `b01_x` |\n\
            | B1 | text | b01_x |\n\
            | B1 | text | `b01_x` `b01_y` |\n\
            | B1 | text | `b01_x`, |\n";
        let table = read(&format!("| Id | Promise | Tests |\n|--|--|--|\n{body}"));
        assert_eq!(table.rows, []);
        let numbers: Vec<_> = table.malformed.iter().map(|line| line.number).collect();
        assert_eq!(numbers, [3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn text_outside_tables_is_not_read() {
        let table = read("`b01_x` | B1 | is text\n\n| B1 | a row without a head | `b01_x` |\n");
        assert_eq!(table, Table::default());
    }
}
