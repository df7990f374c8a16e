//! Node's `EventEmitter`, and the package `emittery`: measured by a child process, in the same rounds.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::subject::{Group, Row, Subject};

struct Node {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    rows: Vec<Row>,
}

/// # Errors
/// Why Node cannot be measured here.
pub(super) fn group() -> Result<Group, Failure> {
    let about = "event_emitter, emittery: Node's own emitter with synchronous listeners, and the package `emittery` \
                 with async ones, awaited; one thread, no isolation.";
    let subject: Box<dyn Subject> = Box::new(Node::start()?);
    Ok(Group { about, subjects: vec![subject] })
}

impl Node {
    fn start() -> Result<Self, Failure> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("node");
        if !folder.join("node_modules/emittery").is_dir() {
            return Err("its modules are not installed, run `npm install` in bench/node".into());
        }
        let mut child = Command::new("node")
            .arg("peers.mjs")
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("`node` does not start ({error})"))?;
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().ok_or("`node` has no standard output")?);
        let mut node = Self { child, requests, answers, rows: Vec::new() };
        for (name, handlers) in node.ask("rows")? {
            let handlers = handlers.as_u64().ok_or("a row without a count of handlers")?;
            node.rows.push(Row::new(name, handlers.try_into()?));
        }
        Ok(node)
    }

    /// One line there, one JSON object back.
    fn ask(&mut self, request: &str) -> Result<Map<String, Value>, Failure> {
        let requests = self.requests.as_mut().ok_or("`node` has no standard input")?;
        writeln!(requests, "{request}")?;
        let mut answer = String::new();
        if self.answers.read_line(&mut answer)? == 0 {
            return Err("`node` ended before it answered".into());
        }
        Ok(serde_json::from_str(&answer)?)
    }
}

impl Subject for Node {
    fn rows(&self) -> &[Row] {
        &self.rows
    }

    fn measure(&mut self, budget: Duration) -> Result<Vec<f64>, Failure> {
        let answer = self.ask(&budget.as_millis().to_string())?;
        let figure = |row: &Row| answer.get(&row.name)?.as_f64();
        let figures: Option<Vec<f64>> = self.rows.iter().map(figure).collect();
        Ok(figures.ok_or("`node` left a row out")?)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // The script ends when its standard input does.
        self.requests = None;
        let _ = self.child.wait();
    }
}
