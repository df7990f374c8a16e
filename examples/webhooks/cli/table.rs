//! [`Table`]: columns that stand below each other.

use std::fmt;

pub struct Table<const N: usize> {
    rows: Vec<[String; N]>,
    numbers: [bool; N],
}

impl<const N: usize> Table<N> {
    /// A table with these headings. Those that begin with `>` are of numbers, which stand at the right.
    pub fn new(headings: [&str; N]) -> Self {
        let numbers = headings.map(|heading| heading.starts_with('>'));
        Self { rows: vec![headings.map(|heading| heading.trim_start_matches('>').to_owned())], numbers }
    }

    /// A cell is one line, and nothing in it moves the cursor: some of it comes from the input.
    pub fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells.map(|cell| cell.replace(char::is_control, " ")));
    }
}

impl<const N: usize> fmt::Display for Table<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.rows.len() == 1 {
            return writeln!(f, "{}: none", self.rows[0][0]);
        }
        let mut widths = [0; N];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        for row in &self.rows {
            let cells = row.iter().zip(widths).zip(self.numbers).map(|((cell, width), number)| match number {
                true => format!("{cell:>width$}"),
                false => format!("{cell:<width$}"),
            });
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}
