//! [`print`]: standard output, whose reader may leave.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

/// Prints the text. A reader that has seen enough, as `head` has, is no error; `println!` would panic.
pub fn print(text: impl Display) -> io::Result<()> {
    match write!(io::stdout(), "{text}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(io::Error::new(error.kind(), format!("standard output cannot be written: {error}"))),
        Ok(()) => Ok(()),
    }
}
