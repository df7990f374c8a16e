//! The package `cloudevents` of PyPI, by the authors of the specification.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use oyez::transport::memory::Broker;
use serde_json::{Value, json};

use crate::ours::{self, TRACE};
use crate::theirs::{Heard, Theirs, remote};
use crate::{OrderPaid, PREFIX};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interop/sdk.py");

#[tokio::test]
async fn t04_frames_are_cloudevents_to_the_python_sdk() {
    let ours = ours::emitted().await;
    let read = python("read", &ours.frames.join(&b'\n'));
    let events: Vec<Value> = read.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let [first, second] = &events[..] else { panic!("two events: {read}") };
    for (event, known) in [first, second].into_iter().zip(&ours.known) {
        let attributes = &event["attributes"];
        assert_eq!(attributes["id"], known.id.as_str());
        assert_eq!(attributes["type"], "order.paid");
        let since_1970 = known.time.duration_since(SystemTime::UNIX_EPOCH).expect("a time after 1970");
        assert_eq!(attributes["time"].as_u64().map(u128::from), Some(since_1970.as_micros()));
        assert_eq!(attributes["specversion"], "1.0");
        assert!(attributes["source"].as_str().is_some_and(|source| source.contains(&ours.instance)), "{attributes}");
        assert_eq!(event["data"], json!({"order": known.event.order, "note": known.event.note}));
    }
    let attributes = &second["attributes"];
    assert_eq!(attributes["correlationid"], first["attributes"]["id"]);
    assert_eq!(attributes["correlationid"], ours.known[1].correlation.as_str());
    assert_eq!(attributes["causationid"].as_str(), ours.known[1].causation.as_ref().map(|id| id.as_str()));
    assert_eq!(attributes["traceparent"], TRACE);
    assert_eq!(attributes["oyezdepth"], 1);
}

#[tokio::test]
async fn t09_cloudevents_of_the_python_sdk_are_handled() {
    let written = python("write", b"");
    let broker = Broker::new();
    let mut node = Theirs::on(broker.connect(PREFIX)).await;
    let before = SystemTime::now() - Duration::from_secs(600);
    for frame in written.lines() {
        broker.publish(PREFIX, frame.to_owned());
    }
    let plain = node.next().await;
    assert!(plain.time > before, "{plain:?}");
    let expected = Heard {
        event: OrderPaid { order: 1, note: "from Python".into() },
        id: "py-1".into(),
        source: remote("https://python.example/orders"),
        time: plain.time,
        correlation: "py-1".into(),
        traceparent: None,
    };
    assert_eq!(plain, expected);
    let expected = Heard {
        event: OrderPaid { order: 2, note: "\u{1F980}".into() },
        id: "py/2 \u{1F980}".into(),
        source: remote("/relative/source"),
        // 2026-01-02T03:04:05.678901Z
        time: SystemTime::UNIX_EPOCH + Duration::from_micros(1_767_323_045_678_901),
        correlation: "story-2".into(),
        traceparent: Some(TRACE.into()),
    };
    assert_eq!(node.next().await, expected);
}

/// What the script prints.
fn python(task: &str, input: &[u8]) -> String {
    let python = interpreter();
    assert!(python.is_file(), "the Python with cloudevents is not there: run `cargo xtask test` once");
    let mut command = Command::new(python);
    command.args([OsStr::new(SCRIPT), OsStr::new(task)]).env("PYTHONUTF8", "1");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("Python can be started");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(input).expect("Python reads");
    drop(stdin);
    let output = child.wait_with_output().expect("Python's end");
    assert!(output.status.success(), "`sdk.py {task}` failed");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Made by `cargo xtask test` (`xtask/src/python.rs`).
fn interpreter() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a folder inside of the target folder");
    target.join("tools").join("python").join("bin").join("python")
}
