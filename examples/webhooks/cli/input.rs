//! [`open`]: the lines of the input, as they come.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::thread;

use tokio::sync::mpsc;

use crate::cli::args::Input;

/// Lines with their numbers, those left out that are blank.
pub type Lines = mpsc::Receiver<io::Result<(u64, Vec<u8>)>>;

/// Opens the input and begins to read it.
pub fn open(input: &Input) -> Result<Lines, CannotRead> {
    Ok(match input {
        Input::Stdin => read(io::stdin()),
        Input::File(path) => read(open_file(path).map_err(|source| CannotRead { path: path.clone(), source })?),
    })
}

fn open_file(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    // A directory opens like a file, and only fails when it is read.
    if file.metadata()?.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(file) }
}

/// Reads in a thread of its own. A task that waits for standard input would keep the program from ending before the next
/// line came; a thread does not.
fn read(input: impl Read + Send + 'static) -> Lines {
    let (sender, lines) = mpsc::channel(64);
    thread::spawn(move || {
        let lines = BufReader::new(input).split(b'\n');
        for (number, line) in (1..).zip(lines) {
            let blank = line.as_ref().is_ok_and(|text| text.trim_ascii().is_empty());
            if !blank && sender.blocking_send(line.map(|text| (number, text))).is_err() {
                break;
            }
        }
    });
    lines
}

#[derive(Debug)]
pub struct CannotRead {
    path: PathBuf,
    source: io::Error,
}

impl fmt::Display for CannotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be read", self.path.display())
    }
}

impl Error for CannotRead {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}
