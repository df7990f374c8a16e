//! The terminal.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::process;

/// Prints a line. A reader that has seen enough, as `head` has, ends the program; `println!` would panic.
pub fn say(line: impl Display) {
    let printed = writeln!(io::stdout(), "{line}");
    if printed.is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) {
        process::exit(0);
    }
}

/// Says on standard error why the program ends: the error and what caused it.
pub fn complain(error: &(dyn Error + 'static)) {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    let line = causes.map(ToString::to_string).collect::<Vec<_>>().join(": ");
    _ = writeln!(io::stderr(), "{line}");
}
