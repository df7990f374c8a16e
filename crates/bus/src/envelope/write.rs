//! [`Tail`]: an event as JSON, once for all links.

use std::io::Write;
use std::time::SystemTime;

use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::context::Context;
use crate::envelope::{Control, Node};
use crate::id::EventId;

/// The members of an envelope that are the same on every link: all but `source` and `sequence`, with the closing brace.
#[derive(Debug, Clone)]
pub(crate) struct Tail(Bytes);

/// Headers that CloudEvents has attributes for
/// (<https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/extensions/distributed-tracing.md>).
pub(super) const TRACING: [&str; 2] = ["traceparent", "tracestate"];

impl Tail {
    pub(crate) fn new(context: &Context, data: &RawValue) -> Self {
        let mut json = Vec::with_capacity(288 + data.get().len());
        text(&mut json, "id", context.id().as_str());
        text(&mut json, "type", context.name());
        time(&mut json, context.time());
        json.extend_from_slice(br#","datacontenttype":"application/json""#);
        _ = write!(json, r#","eventversion":{}"#, context.version());
        if context.correlation_id() != context.id() {
            text(&mut json, "correlationid", context.correlation_id().as_str());
        }
        if let Some(cause) = context.causation_id() {
            text(&mut json, "causationid", cause.as_str());
        }
        if context.depth() > 0 {
            _ = write!(json, r#","oyezdepth":{}"#, context.depth());
        }
        headers(&mut json, context);
        json.extend_from_slice(br#","data":"#);
        json.extend_from_slice(data.get().as_bytes());
        json.push(b'}');
        Self(json.into())
    }

    /// The bytes of the longest sequence number, and of the quotation mark behind it.
    const SEQUENCE: usize = "18446744073709551615\"".len();

    /// How large its frame from `node` is, at most.
    pub(crate) fn frame_len(&self, node: &Node) -> usize {
        node.opening.len() + Self::SEQUENCE + self.0.len()
    }
}

/// The frame of an event on one link.
pub(crate) fn data_frame(node: &Node, sequence: u64, tail: &Tail) -> Bytes {
    let mut json = begin(node, sequence, tail.frame_len(node));
    json.extend_from_slice(&tail.0);
    json.into()
}

/// A frame that carries no event.
pub(crate) fn control_frame(node: &Node, sequence: u64, control: Control) -> Bytes {
    let mut json = begin(node, sequence, 384);
    text(&mut json, "id", EventId::random().as_str());
    text(&mut json, "type", Control::NAME);
    time(&mut json, SystemTime::now());
    text(&mut json, "oyezcontrol", control.as_str());
    json.push(b'}');
    json.into()
}

fn begin(node: &Node, sequence: u64, capacity: usize) -> Vec<u8> {
    let mut json = Vec::with_capacity(capacity);
    json.extend_from_slice(node.opening.as_bytes());
    _ = write!(json, r#"{sequence}""#);
    json
}

fn text(json: &mut Vec<u8>, member: &str, value: &str) {
    json.extend_from_slice(b",\"");
    json.extend_from_slice(member.as_bytes());
    json.extend_from_slice(b"\":");
    value_of(json, value);
}

/// Writing text or maps of text into memory cannot fail.
fn value_of(json: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    _ = serde_json::to_writer(json, value);
}

fn time(json: &mut Vec<u8>, time: SystemTime) {
    let time = OffsetDateTime::from(time);
    json.extend_from_slice(br#","time":""#);
    // Years that RFC 3339 lacks are not on anybody's clock; the epoch stands for them.
    if time.format_into(json, &Rfc3339).is_err() {
        json.extend_from_slice(b"1970-01-01T00:00:00Z");
    }
    json.push(b'"');
}

fn headers(json: &mut Vec<u8>, context: &Context) {
    let headers = context.headers();
    if headers.is_empty() {
        return;
    }
    for name in TRACING {
        if let Some(value) = headers.get(name) {
            text(json, name, value);
        }
    }
    let others: std::collections::BTreeMap<_, _> =
        headers.iter().filter(|(name, _)| !TRACING.contains(&name.as_str())).collect();
    if !others.is_empty() {
        let mut map = Vec::new();
        value_of(&mut map, &others);
        text(json, "oyezheaders", &String::from_utf8_lossy(&map));
    }
}
