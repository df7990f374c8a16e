//! T9: bytes of others that make no sense are counted and passed over; those that make sense are heard.

use std::sync::{Arc, Mutex};

use oyez_bus::Source;
use oyez_bus::testing::Recorder;
use serde_json::json;

use crate::backend::Backend;
use crate::events::{Rich, Tick};
use crate::logs;
use crate::node::{Node, PREFIX, eventually};

/// Each kind of nonsense, and then a good event.
pub async fn c20_foreign_bytes_never_end_the_loop<B: Backend>() {
    let logged = logs::capture();
    let server = B::start().await;
    let looked_at = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&looked_at);
    let look = move |rejected: &oyez_bus::Rejected| {
        into.lock().expect("nobody panics under it").push((rejected.channel.clone(), rejected.payload.clone()));
    };
    let mut node = Node::join_with(&server, PREFIX, |attach| attach.on_rejected(look)).await;
    let there = Node::join(&server).await;
    let nonsense = nonsense();
    for bytes in &nonsense {
        server.publish(PREFIX, "tick", bytes).await;
    }
    there.tick(1).await;
    assert_eq!(node.ticks_until(1).await, [1]);
    assert_eq!(node.link.status().rejected, nonsense.len() as u64);
    let looked_at = std::mem::take(&mut *looked_at.lock().expect("nobody panics under it"));
    assert_eq!(looked_at.iter().map(|(_, payload)| &payload[..]).collect::<Vec<_>>(), nonsense);
    assert!(looked_at.iter().all(|(channel, _)| channel.contains(PREFIX)));
    let lines = logged.lines();
    let about = |line: &&String| line.contains("rejected") && line.contains(node.link.id());
    let lines: Vec<_> = lines.iter().filter(about).collect();
    assert_eq!(lines.len(), 1, "one line at a limited rate: {lines:?}");
    assert!(lines[0].contains("channel") && lines[0].contains("size"), "{lines:?}");

    // Payloads of a version that nobody reads are no nonsense; they are passed over and counted.
    there.bus.emit(Tick { n: 2 }).await.expect("the bus takes events");
    let newer = envelope(json!({"id": "99", "eventversion": 99, "data": {"n": 3}}));
    server.publish(PREFIX, "tick", newer.to_string().as_bytes()).await;
    there.tick(4).await;
    assert_eq!(node.ticks_until(4).await, [2, 4]);
    assert_eq!(node.bus.stats().unknown_versions, 1);
}

fn nonsense() -> Vec<Vec<u8>> {
    let nested = [b"[".repeat(200_000), b"]".repeat(200_000)].concat();
    let mut deep = br#"{"specversion":"1.0","id":"1","source":"s","type":"tick","data":"#.to_vec();
    deep.extend(&nested);
    deep.push(b'}');
    vec![
        Vec::new(),
        b"not-json".to_vec(),
        vec![0xff, 0xfe, 0x00],
        nested,
        deep,
        b"{}".to_vec(),
        b"null".to_vec(),
        envelope(json!({"specversion": "99"})).to_string().into(),
        envelope(json!({"data": {}})).to_string().into(),
        envelope(json!({"id": ""})).to_string().into(),
        envelope(json!({"type": "a..b"})).to_string().into(),
        envelope(json!({"time": "yesterday"})).to_string().into(),
        envelope(json!({"datacontenttype": "text/plain"})).to_string().into(),
    ]
}

/// What a program in any language may send: CloudEvents without our extensions, in any order and spelling.
pub async fn t09_events_of_foreign_writers_are_heard<B: Backend>() {
    let server = B::start().await;
    let (mut node, there) = (Node::join(&server).await, Node::join(&server).await);
    let recorder = Recorder::new(&node.bus);
    node.bus.on_sync(|_: &Rich, _: &_| {});
    let plain = envelope(json!({}));
    let pretty = serde_json::to_string_pretty(&envelope(json!({"id": "2", "unknown": [1], "data": {"n": 2}})));
    let none = json!({"specversion": "1.0", "id": "3", "source": "/shop", "type": "nothing.said"});
    for bytes in [plain.to_string(), pretty.expect("it is JSON"), none.to_string()] {
        server.publish(PREFIX, "tick", bytes.as_bytes()).await;
    }
    there.tick(4).await;
    assert_eq!(node.ticks_until(4).await, [1, 2, 4]);
    assert!(eventually(async || recorder.names().len() == 4).await);
    recorder.assert_names(&["tick", "tick", "nothing.said", "tick"]);
    let first = &recorder.all()[0].context;
    assert_eq!(first.source(), Source::Remote { origin: "/shop/7".into() });
    assert_eq!((first.id().as_str(), first.correlation_id().as_str()), ("1", "1"));
    assert_eq!(node.link.status().rejected, 0);
}

/// An event of a foreign writer, with what is given changed.
fn envelope(changed: serde_json::Value) -> serde_json::Value {
    let mut envelope = json!({
        "data": {"n": 1},
        "type": "tick",
        "id": "1",
        "source": "/shop/7",
        "specversion": "1.0",
        "time": "2026-01-02T03:04:05+06:00",
        "datacontenttype": "application/json; charset=utf-8",
    });
    for (name, value) in changed.as_object().into_iter().flatten() {
        envelope[name] = value.clone();
    }
    envelope
}
