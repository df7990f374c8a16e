//! [`Child`]: this program once more, in another [`Role`]. One line of JSON there, one line back.
//!
//! A child ends when its standard input does, so it does not outlive its parent, however that ends. It is in a process
//! group of its own: Ctrl-C ends the parent, and the child in order.

use std::env;
use std::io::{BufRead, BufReader, Write, stdin};
use std::os::unix::process::CommandExt;
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::failure::Failure;
use crate::role::Role;

/// How long a child may take to end in order.
const ENDED_WITHIN: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Child {
    process: process::Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Child {
    pub(crate) fn start(role: &Role) -> Result<Self, Failure> {
        let mut process = Command::new(env::current_exe()?)
            .args(["role", &serde_json::to_string(role)?])
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let requests = process.stdin.take();
        let answers = BufReader::new(process.stdout.take().ok_or("a child has no standard output")?);
        Ok(Self { process, requests, answers })
    }

    pub(crate) fn ask<A: DeserializeOwned>(&mut self, request: impl Serialize) -> Result<A, Failure> {
        let requests = self.requests.as_mut().ok_or("a child has no standard input")?;
        writeln!(requests, "{}", serde_json::to_string(&request)?)?;
        let mut answer = String::new();
        if self.answers.read_line(&mut answer)? == 0 {
            return Err("a child ended before it answered".into());
        }
        Ok(serde_json::from_str::<Result<A, String>>(&answer)??)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.requests = None;
        let begin = Instant::now();
        while begin.elapsed() < ENDED_WITHIN {
            if !matches!(self.process.try_wait(), Ok(None)) {
                return;
            }
            sleep(Duration::from_millis(5));
        }
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// The child's side: answers until the parent closes the line.
pub(crate) fn serve<Q: DeserializeOwned, A: Serialize>(
    mut answer: impl FnMut(Q) -> Result<A, Failure>,
) -> Result<(), Failure> {
    for request in stdin().lines() {
        let answer = answer(serde_json::from_str(&request?)?).map_err(|error| error.to_string());
        println!("{}", serde_json::to_string(&answer)?);
    }
    Ok(())
}
