//! How errors read: one line, with their causes.

use std::error::Error;
use std::io::{self, Write};

/// The error and what caused it, one after the other.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.map(text).collect::<Vec<_>>().join(": ")
}

/// serde_json ends its text with a place in what it was given to read, which may be a part of the line only.
fn text(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    if let Some(json) = error.downcast_ref::<serde_json::Error>() {
        let place = format!(" at line {} column {}", json.line(), json.column());
        text.truncate(text.trim_end_matches(&place).len());
    }
    text
}

/// Says on standard error why the program ends.
pub fn complain(error: &(dyn Error + 'static)) {
    _ = writeln!(io::stderr(), "{}", with_causes(error));
}
