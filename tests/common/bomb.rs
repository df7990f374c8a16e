//! [`Bomb`]: a value whose `Drop` panics.

use std::error::Error;
use std::fmt;
use std::panic::resume_unwind;
use std::thread;

/// Panics when it is dropped: as an error, as the payload of a panic, or as anything that a handler keeps.
#[derive(Debug)]
pub(crate) struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        // A second panic during the first one's unwinding would end the process.
        if !thread::panicking() {
            resume_unwind(Box::new("the bomb went off"));
        }
    }
}

impl fmt::Display for Bomb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a bomb")
    }
}

impl Error for Bomb {}
