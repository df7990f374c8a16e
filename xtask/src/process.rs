//! Running other programs: each is shown before it runs, and its failure names it.

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;

const POLL: Duration = Duration::from_millis(20);

/// Runs a command to its end, on this terminal.
pub(crate) fn run(command: &mut Command) -> Result<(), Error> {
    let status = start(command)?.wait().map_err(|source| not_run(command, source))?;
    verdict(command, status)
}

/// Runs a command on this terminal, and stops it when it takes longer than `limit`.
pub(crate) fn run_within(command: &mut Command, limit: Duration) -> Result<(), Error> {
    let mut child = start(command)?;
    let deadline = Instant::now() + limit;
    let status = loop {
        match child.try_wait() {
            Ok(None) if Instant::now() < deadline => thread::sleep(POLL),
            Ok(status) => break status,
            Err(source) => return Err(not_run(command, source)),
        }
    };
    if let Some(status) = status {
        return verdict(command, status);
    }
    child.kill().and_then(|()| child.wait()).map_err(|source| not_run(command, source))?;
    Err(Error::TimedOut { command: shown(command), limit })
}

/// Runs a command and returns what it printed; what it says on stderr goes to this terminal.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>, Error> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|source| not_run(command, source))?;
    verdict(command, output.status)?;
    Ok(output.stdout)
}

/// Whether a command can be started and succeeds; nothing of it is seen.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    silent.status().is_ok_and(|status| status.success())
}

/// The command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let mut line = name.to_string_lossy().into_owned();
    for word in command.get_args() {
        line.push(' ');
        line.push_str(&word.to_string_lossy());
    }
    line
}

fn start(command: &mut Command) -> Result<Child, Error> {
    eprintln!("$ {}", shown(command));
    command.spawn().map_err(|source| not_run(command, source))
}

fn not_run(command: &Command, source: io::Error) -> Error {
    Error::NotRun { command: shown(command), source }
}

fn verdict(command: &Command, status: ExitStatus) -> Result<(), Error> {
    if status.success() {
        return Ok(());
    }
    Err(Error::Failed { command: shown(command), status })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Command {
        let mut words = line.split(' ');
        let mut command = Command::new(words.next().unwrap());
        command.args(words);
        command
    }

    fn message(result: Result<(), Error>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn a_failure_names_the_command() {
        let failed = message(run(&mut command("/bin/cat /no/such/file")));
        assert_eq!(failed, "`cat /no/such/file` failed (exit status: 1)");
        let missing = message(run(&mut command("no-such-program --now")));
        assert_eq!(missing, "`no-such-program --now` cannot be run");
    }

    #[test]
    fn what_takes_too_long_is_stopped() {
        let stopped = message(run_within(&mut command("sleep 600"), Duration::ZERO));
        let expected = "`sleep 600` was stopped: it did not end within 0 s";
        assert_eq!(stopped, expected);
        let limit = Duration::from_secs(600);
        assert!(run_within(&mut command("true"), limit).is_ok());
    }

    #[test]
    fn what_a_command_prints_is_returned() {
        assert_eq!(output(&mut command("echo a b")).unwrap(), b"a b\n");
        assert!(succeeds(&mut command("true")));
        assert!(!succeeds(&mut command("false")));
        assert!(!succeeds(&mut command("no-such-program")));
    }
}
