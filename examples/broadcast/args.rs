//! [`Command`]: the command line.

use std::fmt;
use std::str::FromStr;

use crate::connect::{Place, PlaceError};
use crate::emit::Pace;

pub const HELP: &str = "\
Events between processes. Start listeners, and then an emitter, on the same server.

Usage: broadcast listen URL [--prefix P]
       broadcast emit URL [--prefix P] [--count N] [--rate N]
       broadcast

  URL          a server: redis://[user:password@]host[:port]/, nats://[user:password@]host[:port],
               with TLS rediss:// and tls://
  --prefix P   only programs with the same prefix hear each other; `demo` if not said
  --count N    how many events to emit; without it, until Ctrl-C
  --rate N     how many events a second, 1 if not said; 0 is as many as the server takes
  -h, --help   prints this

Without arguments, a listener and an emitter talk inside of one process, without a server.
Ctrl-C ends with a summary; once more ends at once. Stop the server and start it again to see what is told of that.

Exit codes: 0, also after Ctrl-C; 1 if there is no way to the server; 2 if the arguments make no sense.
";

pub enum Command {
    Help,
    Demo,
    Listen(Place),
    Emit(Place, Pace),
}

impl Command {
    pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Self, Misuse> {
        let (mut plain, mut prefix, mut pace) = (Vec::new(), "demo".to_owned(), Pace { count: None, rate: 1 });
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "-h" | "--help" => return Ok(Self::Help),
                "--prefix" => prefix = value("--prefix", words.next())?,
                "--count" => pace.count = Some(value("--count", words.next())?),
                "--rate" => pace.rate = value("--rate", words.next())?,
                option if option.starts_with('-') => return Err(Misuse::Unknown(word)),
                _ => plain.push(word),
            }
        }
        let plain: Vec<&str> = plain.iter().map(String::as_str).collect();
        match plain[..] {
            [] => Ok(Self::Demo),
            ["listen", url] => Ok(Self::Listen(Place::parse(url, prefix)?)),
            ["emit", url] => Ok(Self::Emit(Place::parse(url, prefix)?, pace)),
            ["listen" | "emit"] => Err(Misuse::NoUrl),
            ["listen" | "emit", _, more, ..] => Err(Misuse::Unknown(more.to_owned())),
            [other, ..] => Err(Misuse::Unknown(other.to_owned())),
        }
    }
}

fn value<T: FromStr>(option: &'static str, word: Option<String>) -> Result<T, Misuse> {
    word.and_then(|word| word.parse().ok()).ok_or(Misuse::Value(option))
}

/// The command line makes no sense.
#[derive(Debug)]
pub enum Misuse {
    Unknown(String),
    Value(&'static str),
    NoUrl,
    Place(PlaceError),
}

impl From<PlaceError> for Misuse {
    fn from(error: PlaceError) -> Self {
        Self::Place(error)
    }
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(word) => write!(f, "`{word}` is not understood")?,
            Self::Value("--prefix") => f.write_str("--prefix needs a text")?,
            Self::Value(option) => write!(f, "{option} needs a number")?,
            Self::NoUrl => f.write_str("which server? Say its URL, such as redis://127.0.0.1/ or nats://127.0.0.1/")?,
            // The URL itself is not shown: it may hold a password.
            Self::Place(error) => return error.fmt(f),
        }
        f.write_str("; --help tells what there is")
    }
}

impl std::error::Error for Misuse {}
