//! [`Terminal`]: standard error, with a progress bar at its lower end while there is one.

use std::fmt::Display;
use std::io::{self, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

#[derive(Clone)]
pub struct Terminal {
    bar: ProgressBar,
}

impl Terminal {
    /// Without a bar.
    pub fn new() -> Self {
        let bar = ProgressBar::hidden();
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {human_pos} of {human_len} deliveries, {eta} left") {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// One delivery is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }

    /// There will be so many deliveries in all: shows how far it is. indicatif draws on a terminal only.
    pub fn expect(&self, deliveries: u64) {
        self.bar.set_length(deliveries);
        self.bar.reset_eta();
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
    }

    /// Writes a line above the bar.
    pub fn say(&self, line: impl Display) {
        self.bar.suspend(|| _ = writeln!(io::stderr().lock(), "{line}"));
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Write for Terminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bar.suspend(|| io::stderr().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
