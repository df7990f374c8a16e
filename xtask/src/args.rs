//! [`parse`]: from the words of the command line to an [`Invocation`].

use std::ffi::OsString;

use crate::ci::{Selection, Step};
use crate::help::Topic;

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Invocation {
    Help(Topic),
    Test { nextest: Vec<OsString> },
    Ci(Selection),
    CiList,
    Bench { name: OsString, args: Vec<OsString> },
    Soak { name: OsString, args: Vec<OsString> },
    Promises,
}

/// A command line that asks for nothing there is.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UsageError {
    #[error("no command was given")]
    NoCommand,
    #[error("there is no command `{0}`")]
    UnknownCommand(String),
    #[error("`{command}` does not know `{word}`")]
    UnknownWord { command: &'static str, word: String },
    #[error("`test` does not know `{0}`; what is meant for nextest comes after `--`")]
    BeforeDashes(String),
    #[error("`{0}` wants the name of a step; the steps are {names}", names = Step::names())]
    NoStep(String),
    #[error("there is no step `{0}`; the steps are {names}", names = Step::names())]
    UnknownStep(String),
    #[error("`bench` wants the name of a benchmark, like `bench bus`")]
    NoBenchmark,
    #[error("`soak` wants the name of a soak, like `soak transports`")]
    NoSoak,
}

/// Reads the words after `cargo xtask`.
pub(crate) fn parse(words: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Invocation, UsageError> {
    let mut words = words.into_iter().map(Into::into);
    let command: OsString = words.next().ok_or(UsageError::NoCommand)?;
    let rest: Vec<OsString> = words.collect();
    match command.to_str() {
        Some("-h" | "--help" | "help") => help(&rest),
        Some("test") => test(rest),
        Some("ci") => ci(&rest),
        Some("bench") => bench(rest),
        Some("soak") => soak(rest),
        Some("promises") => promises(&rest),
        _ => Err(UsageError::UnknownCommand(shown(&command))),
    }
}

fn help(rest: &[OsString]) -> Result<Invocation, UsageError> {
    let Some(word) = rest.first() else {
        return Ok(Invocation::Help(Topic::All));
    };
    let topic = word.to_str().and_then(Topic::of);
    topic.map(Invocation::Help).ok_or_else(|| UsageError::UnknownCommand(shown(word)))
}

fn test(mut rest: Vec<OsString>) -> Result<Invocation, UsageError> {
    match rest.first() {
        None => Ok(Invocation::Test { nextest: rest }),
        Some(word) if asks_for_help(word) => Ok(Invocation::Help(Topic::Test)),
        Some(word) if word == "--" => {
            rest.remove(0);
            Ok(Invocation::Test { nextest: rest })
        }
        Some(word) => Err(UsageError::BeforeDashes(shown(word))),
    }
}

fn ci(rest: &[OsString]) -> Result<Invocation, UsageError> {
    let mut selection = Selection::default();
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("-h" | "--help") => return Ok(Invocation::Help(Topic::Ci)),
            Some("--list") => return Ok(Invocation::CiList),
            Some(option @ "--only") => selection.only.push(step(option, words.next())?),
            Some(option @ "--skip") => selection.skip.push(step(option, words.next())?),
            _ => return Err(unknown("ci", word)),
        }
    }
    Ok(Invocation::Ci(selection))
}

fn step(option: &str, word: Option<&OsString>) -> Result<Step, UsageError> {
    let word = word.ok_or_else(|| UsageError::NoStep(option.to_owned()))?;
    word.to_str().and_then(Step::of).ok_or_else(|| UsageError::UnknownStep(shown(word)))
}

fn bench(rest: Vec<OsString>) -> Result<Invocation, UsageError> {
    if rest.first().is_some_and(asks_for_help) {
        return Ok(Invocation::Help(Topic::Bench));
    }
    let (name, args) = named(rest).ok_or(UsageError::NoBenchmark)?;
    Ok(Invocation::Bench { name, args })
}

fn soak(rest: Vec<OsString>) -> Result<Invocation, UsageError> {
    if rest.first().is_some_and(asks_for_help) {
        return Ok(Invocation::Help(Topic::Soak));
    }
    let (name, args) = named(rest).ok_or(UsageError::NoSoak)?;
    Ok(Invocation::Soak { name, args })
}

/// A name, and the words that follow it and are for the program of that name.
fn named(mut words: Vec<OsString>) -> Option<(OsString, Vec<OsString>)> {
    let is_name = words.first().is_some_and(|word| !word.as_encoded_bytes().starts_with(b"-"));
    is_name.then(|| (words.remove(0), words))
}

fn promises(rest: &[OsString]) -> Result<Invocation, UsageError> {
    match rest.first() {
        None => Ok(Invocation::Promises),
        Some(word) if asks_for_help(word) => Ok(Invocation::Help(Topic::Promises)),
        Some(word) => Err(unknown("promises", word)),
    }
}

fn asks_for_help(word: &OsString) -> bool {
    word == "-h" || word == "--help"
}

fn unknown(command: &'static str, word: &OsString) -> UsageError {
    UsageError::UnknownWord { command, word: shown(word) }
}

fn shown(word: &OsString) -> String {
    word.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    fn parsed(text: &str) -> Result<Invocation, UsageError> {
        parse(words(text))
    }

    #[test]
    fn each_command_is_known() {
        assert_eq!(parsed("test"), Ok(Invocation::Test { nextest: vec![] }));
        assert_eq!(parsed("ci"), Ok(Invocation::Ci(Selection::default())));
        assert_eq!(parsed("ci --list"), Ok(Invocation::CiList));
        assert_eq!(parsed("promises"), Ok(Invocation::Promises));
        let bench = Invocation::Bench { name: "bus".into(), args: words("--rounds 3 --help") };
        assert_eq!(parsed("bench bus --rounds 3 --help"), Ok(bench));
        let soak = Invocation::Soak { name: "transports".into(), args: words("--seconds 20") };
        assert_eq!(parsed("soak transports --seconds 20"), Ok(soak));
    }

    #[test]
    fn words_after_the_dashes_go_to_nextest() {
        let nextest = words("-p oyez-bus b04 -- --ignored");
        let expected = Ok(Invocation::Test { nextest });
        assert_eq!(parsed("test -- -p oyez-bus b04 -- --ignored"), expected);
        let error = UsageError::BeforeDashes("b04".into());
        assert_eq!(parsed("test b04"), Err(error));
    }

    #[test]
    fn steps_are_chosen_by_name() {
        let selection = Selection { only: vec![Step::Clippy, Step::Doc], skip: vec![Step::Doc] };
        let expected = Ok(Invocation::Ci(selection));
        assert_eq!(parsed("ci --only clippy --only doc --skip doc"), expected);
        let error = UsageError::UnknownStep("lint".into());
        assert_eq!(parsed("ci --only lint"), Err(error));
        let error = UsageError::NoStep("--skip".into());
        assert_eq!(parsed("ci --skip"), Err(error));
    }

    #[test]
    fn help_is_there_for_all_and_for_each() {
        for text in ["-h", "--help", "help"] {
            assert_eq!(parsed(text), Ok(Invocation::Help(Topic::All)));
        }
        for text in ["help ci", "ci --help", "ci --only doc -h"] {
            assert_eq!(parsed(text), Ok(Invocation::Help(Topic::Ci)));
        }
        assert_eq!(parsed("test -h"), Ok(Invocation::Help(Topic::Test)));
        assert_eq!(parsed("bench --help"), Ok(Invocation::Help(Topic::Bench)));
        assert_eq!(parsed("soak --help"), Ok(Invocation::Help(Topic::Soak)));
        assert_eq!(parsed("promises --help"), Ok(Invocation::Help(Topic::Promises)));
    }

    #[test]
    fn what_is_unknown_is_named() {
        assert_eq!(parsed(""), Err(UsageError::NoCommand));
        let error = UsageError::UnknownCommand("tset".into());
        assert_eq!(parsed("tset"), Err(error));
        let error = UsageError::UnknownCommand("tset".into());
        assert_eq!(parsed("help tset"), Err(error));
        assert_eq!(parsed("bench --quick"), Err(UsageError::NoBenchmark));
        assert_eq!(parsed("soak"), Err(UsageError::NoSoak));
        let message = parsed("ci clippy").map_err(|error| error.to_string());
        assert_eq!(message, Err("`ci` does not know `clippy`".to_owned()));
    }
}
