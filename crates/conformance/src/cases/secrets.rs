//! T13: payloads are nobody's business but the handlers'.

use oyez_bus::transport::{Frame, Received};
use serde_json::json;

use crate::backend::Backend;
use crate::events::{Blob, Tick};
use crate::logs;
use crate::node::{Node, PREFIX};

const SECRET: &str = "4111-S3NTINEL";

/// Everything that can go wrong with a payload goes wrong, and all logs are captured.
pub async fn t13_payloads_are_in_no_log_error_or_debug_text<B: Backend>() {
    let logged = logs::capture();
    let mut server = B::start().await;
    let mut here = Node::join_with(&server, PREFIX, |attach| attach.outbox(2, 4096)).await;
    let looked_at = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let into = std::sync::Arc::clone(&looked_at);
    let look = move |rejected: &oyez_bus::Rejected| {
        into.lock().expect("nobody panics under it").push_str(&format!("{rejected:?}"));
    };
    let mut there = Node::join_with(&server, PREFIX, |attach| attach.on_rejected(look)).await;
    there.bus.on_sync(|_: &Blob, _: &_| Err::<(), _>("the handler fails"));
    let mut texts = Vec::new();
    let large = Blob { text: SECRET.repeat(1024 * 1024) };
    let emitted = here.bus.emit(large).await.expect("the bus takes events");
    texts.push(format!("{emitted:?}"));
    here.bus.emit(Blob { text: SECRET.into() }).await.expect("the bus takes events");
    let other_shape = json!({"specversion": "1.0", "id": "1", "source": "s", "type": "tick", "data": {"card": SECRET}});
    server.publish(PREFIX, "tick", other_shape.to_string().as_bytes()).await;
    server.publish(PREFIX, "tick", SECRET.as_bytes()).await;
    server.publish(PREFIX, "tick", format!("{{\"specversion\":\"{SECRET}\"}}").as_bytes()).await;
    here.bus.emit(Tick { n: 1 }).await.expect("the bus takes events");
    there.ticks_until(1).await;
    server.kill();
    here.down().await;
    for _ in 0..10 {
        let emitted = here.bus.emit(Blob { text: SECRET.into() }).await.expect("the bus takes events");
        texts.push(format!("{emitted:?}"));
    }
    server.restart().await;
    here.up().await;
    let frame = Frame::new("blob", SECRET);
    texts.push(format!("{frame:?} {:?}", Received::Frame { channel: "shop".into(), payload: SECRET.into() }));
    for node in [&mut here, &mut there] {
        texts.push(format!("{:?} {:?} {:?}", node.link, node.link.status(), node.bus));
        texts.push(format!("{:?}", node.link.events()));
        texts.push(format!("{:?}", node.told_by_now()));
    }
    texts.push(looked_at.lock().expect("nobody panics under it").clone());
    texts.extend(logged.lines());
    assert!(texts.iter().any(|text| text.contains("rejected")), "nothing is logged");
    for text in texts {
        assert!(!text.contains("S3NTINEL"), "{text:.400}");
        // As Debug writes bytes.
        assert!(!text.contains("83, 51, 78, 84, 73"), "{text:.400}");
    }
}
