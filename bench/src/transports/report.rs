//! The table of one transport.

use crate::samples::Samples;

/// In what a row is printed. All are measured in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Unit {
    EventsPerSecond,
    Microseconds,
    Nanoseconds,
}

/// A Markdown table: it goes into the README as it is printed.
pub(super) fn table(title: &str, rows: &[(&str, Unit)], samples: &Samples) -> String {
    let line = |(row, unit): &(&str, Unit)| {
        let spread = format!("{:.0} %", samples.spread(row)? * 100.0);
        Some([(*row).to_owned(), unit.of(samples.median(row)?), spread])
    };
    let head = [title, "median", "spread"].map(str::to_owned);
    let lines: Vec<[String; 3]> = std::iter::once(head).chain(rows.iter().filter_map(line)).collect();
    let widths: [usize; 3] =
        std::array::from_fn(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0));
    let [row, median, spread] = widths;
    let rule = format!("|{}|{}:|{}:|\n", "-".repeat(row + 2), "-".repeat(median + 1), "-".repeat(spread + 1));
    let mut lines =
        lines.iter().map(|[name, figure, share]| format!("| {name:<row$} | {figure:>median$} | {share:>spread$} |\n"));
    lines.next().into_iter().chain([rule]).chain(lines).collect()
}

impl Unit {
    fn of(self, nanoseconds: f64) -> String {
        match self {
            Self::EventsPerSecond => format!("{} events/s", grouped(1e9 / nanoseconds)),
            Self::Microseconds => format!("{:.0} µs", nanoseconds / 1e3),
            Self::Nanoseconds => format!("{nanoseconds:.0} ns"),
        }
    }
}

/// With a comma after each three digits.
fn grouped(figure: f64) -> String {
    let digits = format!("{figure:.0}");
    let comma = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    digits.char_indices().flat_map(|(at, digit)| comma(at).then_some(',').into_iter().chain([digit])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_each_row_in_its_unit_and_leaves_out_what_was_not_measured() {
        let mut samples = Samples::default();
        samples.add("oyez", 3200.0);
        samples.add("p50", 81_400.0);
        samples.add("emit_up", 950.4);
        let rows = [
            ("oyez", Unit::EventsPerSecond),
            ("absent", Unit::EventsPerSecond),
            ("p50", Unit::Microseconds),
            ("emit_up", Unit::Nanoseconds),
        ];
        let expected = "\
| redis   |           median | spread |
|---------|-----------------:|-------:|
| oyez    | 312,500 events/s |    0 % |
| p50     |            81 µs |    0 % |
| emit_up |           950 ns |    0 % |
";
        assert_eq!(table("redis", &rows, &samples), expected);
    }
}
