//! [`Node`] and [`Origin`]: who sent a frame, written as the CloudEvents `source`.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

const SCHEME: &str = "urn:oyez:";

/// One end of a link: a bus of one process, and the link by which it sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) instance: Arc<str>,
    pub(crate) link: Arc<str>,
    /// How each of its frames begins, with the source `urn:oyez:<prefix>:<instance>:<link>`: what a frame shows at a
    /// glance. Nothing in it needs escaping.
    pub(crate) opening: String,
}

impl Node {
    pub(crate) fn new(prefix: &str, instance: Arc<str>, link: Arc<str>) -> Self {
        let source = format!("{SCHEME}{}:{instance}:{link}", encoded(prefix));
        let opening = format!(r#"{{"specversion":"1.0","source":"{source}","sequence":""#);
        Self { instance, link, opening }
    }
}

/// Who a received frame is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin<'f> {
    /// A link of an oyez bus, ours or another.
    Node { instance: &'f str },
    /// Any other program.
    Foreign { source: &'f str },
}

impl<'f> Origin<'f> {
    pub(crate) fn of(source: &'f str) -> Self {
        let node = source.strip_prefix(SCHEME).and_then(|rest| {
            let mut parts = rest.rsplitn(3, ':');
            let (link, instance, prefix) = (parts.next()?, parts.next()?, parts.next()?);
            let complete = [link, instance, prefix].iter().all(|part| !part.is_empty());
            complete.then_some(Self::Node { instance })
        });
        node.unwrap_or(Self::Foreign { source })
    }

    /// What handlers are told.
    pub(crate) fn id(self) -> &'f str {
        match self {
            Self::Node { instance } => instance,
            Self::Foreign { source } => source,
        }
    }
}

/// A prefix as the part of a URN (RFC 8141): what is no unreserved character is percent-encoded.
fn encoded(prefix: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    if prefix.bytes().all(plain) {
        return prefix.into();
    }
    let mut encoded = String::with_capacity(prefix.len() * 3);
    for byte in prefix.bytes() {
        if plain(byte) {
            encoded.push(char::from(byte));
        } else {
            _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded.into()
}
