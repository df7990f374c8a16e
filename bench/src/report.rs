//! The table, and the ratios as one JSON object.

use serde_json::{Map, Number, Value};

use crate::ratio::Ratio;
use crate::samples::Samples;
use crate::subject::Row;

/// A Markdown table: it goes into the README as it is printed.
pub(crate) fn table(rows: &[Row], samples: &Samples) -> String {
    let head = ["row", "ns/emit", "spread", "ns/handler", "vs broadcast"].map(str::to_owned);
    let lines: Vec<_> = std::iter::once(head).chain(rows.iter().filter_map(|row| line(row, samples))).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    let rule =
        format!("|{}|\n", widths.map(|width| format!("{}:", "-".repeat(width + 1))).join("|")).replacen(':', "-", 1);
    let mut lines = lines.into_iter().map(|cells| {
        let [row, figures @ ..] = &cells;
        let figures: Vec<_> = figures.iter().zip(&widths[1..]).map(|(cell, width)| format!("{cell:>width$}")).collect();
        format!("| {row:<width$} | {} |\n", figures.join(" | "), width = widths[0])
    });
    lines.next().into_iter().chain([rule]).chain(lines).collect()
}

fn line(row: &Row, samples: &Samples) -> Option<[String; 5]> {
    let median = samples.median(&row.name)?;
    let spread = samples.spread(&row.name)?;
    let per_handler = if row.handlers > 1 { format!("{:.1}", median / row.handlers as f64) } else { String::new() };
    let broadcast = format!("broadcast_{}", row.handlers.max(1));
    let versus = samples.ratio(&row.name, &broadcast).map_or_else(String::new, |ratio| format!("{ratio:.2}"));
    Some([row.name.clone(), format!("{median:.1}"), format!("{:.0} %", spread * 100.0), per_handler, versus])
}

/// One line; a ratio that lacks a row is left out.
pub(crate) fn json(ratios: &[Ratio], samples: &Samples) -> String {
    let member = |ratio: &Ratio| {
        let rounded = (ratio.value(samples)? * 1000.0).round() / 1000.0;
        Some((ratio.name(), Value::Number(Number::from_f64(rounded)?)))
    };
    Value::Object(ratios.iter().filter_map(member).collect::<Map<_, _>>()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Samples {
        let mut samples = Samples::default();
        for (row, figure) in [("emit_0", 5.0), ("emit_10", 200.0), ("broadcast_1", 50.0), ("broadcast_10", 400.0)] {
            samples.add(row, figure);
        }
        samples
    }

    #[test]
    fn the_table_leaves_out_what_was_not_measured_and_compares_like_with_like() {
        let rows = [Row::new("emit_0", 0), Row::new("emit_10", 10), Row::new("absent", 1)];
        let expected = "\
| row     | ns/emit | spread | ns/handler | vs broadcast |
|---------|--------:|-------:|-----------:|-------------:|
| emit_0  |     5.0 |    0 % |            |         0.10 |
| emit_10 |   200.0 |    0 % |       20.0 |         0.50 |
";
        assert_eq!(table(&rows, &samples()), expected);
    }

    #[test]
    fn the_json_has_the_ratios_in_order_and_leaves_out_what_was_not_measured() {
        let ratios =
            [Ratio::cost("emit_10", "broadcast_10"), Ratio::cost("emit_1", "x"), Ratio::cost("emit_0", "emit_10")];
        assert_eq!(json(&ratios, &samples()), r#"{"emit_10/broadcast_10":0.5,"emit_0/emit_10":0.025}"#);
    }
}
