//! [`Args`]: the command line. Its few options are read by hand; a parser crate would be the largest dependency here.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

const DELIVERIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/github-webhooks.jsonl");

pub const HELP: &str = "\
Emits GitHub webhook deliveries as events, and tells what their subscribers made of them.

Usage: webhooks [PATH|-] [--repeat N] [--strict] [--redis URL] [--nats URL]

  PATH         a file of deliveries, one JSON object a line; without it, those in examples/data
  -            reads standard input
  --repeat N   emits everything N times; a terminal shows how far it is
  --strict     ends with exit code 1 if a line was malformed
  --redis URL  broadcasts what is emitted: `broadcast listen URL --prefix webhooks`, the other example,
  --nats URL   hears it in another terminal; these want the features `redis` and `nats`
  -h, --help   prints this

Ctrl-C ends early, with the summary of what was done until then. Once more ends at once.

Exit codes: 0, also after Ctrl-C; 1 with --strict; 2 if the arguments are wrong, the input cannot be read
or a server cannot be reached.
Every failure of a handler is logged with RUST_LOG=error, everything else with RUST_LOG=debug.
";

pub enum Command {
    Help,
    Run(Args),
}

pub struct Args {
    pub input: Input,
    pub repeat: u64,
    pub strict: bool,
    pub redis: Option<String>,
    pub nats: Option<String>,
}

pub enum Input {
    Stdin,
    File(PathBuf),
}

impl Args {
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Command, Misuse> {
        let mut words = words.into_iter();
        let (mut input, mut repeat, mut strict) = (None, 1, false);
        let (mut redis, mut nats) = (None, None);
        while let Some(word) = words.next() {
            match word.to_str() {
                Some("-h" | "--help") => return Ok(Command::Help),
                Some("--strict") => strict = true,
                Some("--repeat") => repeat = times(words.next())?,
                Some(text) if text.starts_with("--repeat=") => repeat = times(Some(text["--repeat=".len()..].into()))?,
                Some("--redis") => redis = Some(url("--redis", words.next())?),
                Some("--nats") => nats = Some(url("--nats", words.next())?),
                Some(text) if text.starts_with('-') && text != "-" => return Err(Misuse::Unknown(text.into())),
                _ if input.is_some() => return Err(Misuse::SecondPath(word)),
                Some("-") => input = Some(Input::Stdin),
                _ => input = Some(Input::File(word.into())),
            }
        }
        let input = input.unwrap_or_else(|| Input::File(DELIVERIES.into()));
        Ok(Command::Run(Self { input, repeat, strict, redis, nats }))
    }
}

fn times(word: Option<OsString>) -> Result<u64, Misuse> {
    let word = word.unwrap_or_default();
    let times = word.to_str().and_then(|text| text.parse().ok()).filter(|times| *times > 0);
    times.ok_or(Misuse::Repeat(word))
}

fn url(option: &'static str, word: Option<OsString>) -> Result<String, Misuse> {
    word.and_then(|word| word.into_string().ok()).ok_or(Misuse::NoUrl(option))
}

/// The command line makes no sense.
#[derive(Debug)]
pub enum Misuse {
    Unknown(OsString),
    SecondPath(OsString),
    Repeat(OsString),
    NoUrl(&'static str),
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(word) => write!(f, "there is no option {}", word.display())?,
            Self::SecondPath(word) => write!(f, "there is one path already, and {} would be a second", word.display())?,
            Self::Repeat(word) if word.is_empty() => f.write_str("--repeat needs a number, at least 1")?,
            Self::Repeat(word) => write!(f, "--repeat needs a number, at least 1, and not {}", word.display())?,
            Self::NoUrl(option) => write!(f, "{option} needs the URL of a server")?,
        }
        f.write_str("; --help tells what there is")
    }
}

impl std::error::Error for Misuse {}
