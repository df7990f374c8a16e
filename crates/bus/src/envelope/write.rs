//! [`Tail`]: an event as JSON, once for all links.

use std::time::SystemTime;

use bytes::Bytes;
use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::context::Context;
use crate::envelope::{Control, Node};
use crate::event::EncodeError;
use crate::id::EventId;

/// The members of an envelope that are the same on every link: all but `source` and `sequence`, with the closing brace. There
/// is room before them for those two, so that a frame is made where its tail is.
#[derive(Debug, Clone)]
pub(crate) struct Tail {
    json: Json,
    room: usize,
}

#[derive(Debug, Clone)]
enum Json {
    /// Of one link, which makes its frame there.
    Own(Vec<u8>),
    /// Of several: each makes its frame elsewhere, when it sends it.
    Shared(Bytes),
}

/// Headers that CloudEvents has attributes for
/// (<https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/extensions/distributed-tracing.md>).
pub(super) const TRACING: [&str; 2] = ["traceparent", "tracestate"];

impl Tail {
    /// The tail of an event whose payload `write` writes, if it has one. It is the program's code, and may panic.
    ///
    /// `opening` is the longest of the links' [openings](Node::opening), in bytes.
    pub(crate) fn new(
        context: &Context,
        opening: usize,
        write: impl FnOnce(&mut Vec<u8>) -> Result<bool, EncodeError>,
    ) -> Result<Option<Self>, EncodeError> {
        let room = opening + Self::SEQUENCE;
        let mut json = Vec::with_capacity(room + USUAL);
        json.resize(room, 0);
        text(&mut json, "id", context.id().as_str());
        text(&mut json, "type", context.name());
        time(&mut json, context.time());
        json.extend_from_slice(br#","datacontenttype":"application/json","eventversion":"#);
        number(&mut json, u64::from(context.version()));
        if context.correlation_id() != context.id() {
            text(&mut json, "correlationid", context.correlation_id().as_str());
        }
        if let Some(cause) = context.causation_id() {
            text(&mut json, "causationid", cause.as_str());
        }
        if context.depth() > 0 {
            json.extend_from_slice(br#","oyezdepth":"#);
            number(&mut json, context.depth() as u64);
        }
        headers(&mut json, context);
        json.extend_from_slice(br#","data":"#);
        let written = write(&mut json)?;
        json.push(b'}');
        // A vector doubles when it grows, and an outbox counts what its events need.
        if json.capacity() - json.len() > USUAL + json.len() / 8 {
            json.shrink_to_fit();
        }
        Ok(written.then_some(Self { json: Json::Own(json), room }))
    }

    /// The same tail, whose clones share its bytes.
    pub(crate) fn shared(self) -> Self {
        let json = match self.json {
            Json::Own(json) => json.into(),
            Json::Shared(json) => json,
        };
        Self { json: Json::Shared(json), ..self }
    }

    /// The bytes of the longest sequence number, and of the quotation mark behind it.
    const SEQUENCE: usize = "18446744073709551615\"".len();

    /// How large its frame from `node` is, at most.
    pub(crate) fn frame_len(&self, node: &Node) -> usize {
        node.opening.len() + Self::SEQUENCE + self.json.bytes().len() - self.room
    }

    /// The frame of the event on one link.
    pub(crate) fn into_frame(self, node: &Node, sequence: u64) -> Bytes {
        let mut digits = Digits::default();
        let digits = digits.of(sequence);
        let start = self.room.checked_sub(node.opening.len() + digits.len() + 1);
        match (self.json, start) {
            (Json::Own(mut json), Some(start)) => {
                let middle = start + node.opening.len();
                json[start..middle].copy_from_slice(node.opening.as_bytes());
                json[middle..self.room - 1].copy_from_slice(digits);
                json[self.room - 1] = b'"';
                Bytes::from(json).slice(start..)
            }
            // Shared, or the link's opening is longer than those that were known when the tail was made.
            (json, _) => [node.opening.as_bytes(), digits, b"\"", &json.bytes()[self.room..]].concat().into(),
        }
    }
}

impl Json {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Own(json) => json,
            Self::Shared(json) => json,
        }
    }
}

/// What an envelope and a payload usually have in bytes.
const USUAL: usize = 640;

/// A frame that carries no event.
pub(crate) fn control_frame(node: &Node, sequence: u64, control: Control) -> Bytes {
    let mut json = Vec::with_capacity(384);
    json.extend_from_slice(node.opening.as_bytes());
    number(&mut json, sequence);
    json.push(b'"');
    text(&mut json, "id", EventId::random().as_str());
    text(&mut json, "type", Control::NAME);
    time(&mut json, SystemTime::now());
    text(&mut json, "oyezcontrol", control.as_str());
    json.push(b'}');
    json.into()
}

/// The decimal digits of a number.
#[derive(Default)]
struct Digits([u8; 20]);

impl Digits {
    fn of(&mut self, mut number: u64) -> &[u8] {
        let mut start = self.0.len();
        loop {
            start -= 1;
            // Less than ten.
            self.0[start] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                return &self.0[start..];
            }
        }
    }
}

fn number(json: &mut Vec<u8>, number: u64) {
    json.extend_from_slice(Digits::default().of(number));
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
