//! Reads an envelope whose members stand in the order in which [`write`](super::write) puts them.
//!
//! A general reader of JSON looks each member up by its name; of frames between nodes of oyez that would be most of what
//! reading costs. What deviates in the slightest is `None` here, and for the general reader to judge.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::read::{Number, Text, Wire};

/// The members of a frame; `None` if it is not written as ours are.
pub(super) fn members(frame: &[u8]) -> Option<Wire<'_>> {
    // Fields are evaluated in the order in which they stand here.
    let mut rest = Rest(std::str::from_utf8(frame).ok()?.strip_suffix('}')?);
    Some(Wire {
        specversion: rest.text(r#"{"specversion":""#)?,
        source: rest.text(r#","source":""#)?,
        sequence: Some(digits(&rest.text(r#","sequence":""#)?)?),
        id: rest.text(r#","id":""#)?,
        name: rest.text(r#","type":""#)?,
        time: Some(Text(rest.text(r#","time":""#)?)),
        datacontenttype: Some(Text(rest.text(r#","datacontenttype":""#)?)),
        eventversion: rest.perhaps(r#","eventversion":"#, Rest::number)?,
        correlationid: rest.perhaps(r#","correlationid":""#, Rest::until_quote)?.map(Text),
        causationid: rest.perhaps(r#","causationid":""#, Rest::until_quote)?.map(Text),
        oyezdepth: rest.perhaps(r#","oyezdepth":"#, Rest::number)?,
        traceparent: rest.perhaps(r#","traceparent":""#, Rest::until_quote)?.map(Text),
        tracestate: rest.perhaps(r#","tracestate":""#, Rest::until_quote)?.map(Text),
        data: rest.data()?,
        oyezheaders: None,
        oyezcontrol: None,
        data_base64: None,
    })
}

/// What is left of a frame, without its closing brace.
struct Rest<'f>(&'f str);

impl<'f> Rest<'f> {
    /// A text without escapes behind `opening`.
    fn text(&mut self, opening: &str) -> Option<Cow<'f, str>> {
        self.0 = self.0.strip_prefix(opening)?;
        self.until_quote()
    }

    /// What `read` reads behind `opening`; nothing if the frame does not go on with that.
    fn perhaps<T>(&mut self, opening: &str, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        let Some(rest) = self.0.strip_prefix(opening) else { return Some(None) };
        self.0 = rest;
        read(self).map(Some)
    }

    fn until_quote(&mut self) -> Option<Cow<'f, str>> {
        let special = |byte: u8| matches!(byte, b'"' | b'\\' | 0..0x20);
        let end = self.0.bytes().position(special)?;
        let (text, rest) = self.0.split_at(end);
        self.0 = rest.strip_prefix('"')?;
        Some(Cow::Borrowed(text))
    }

    fn number(&mut self) -> Option<Number> {
        let end = self.0.bytes().position(|byte| !byte.is_ascii_digit())?;
        let (text, rest) = self.0.split_at(end);
        self.0 = rest;
        // JSON has no leading zeros.
        digits(text).filter(|_| !text.starts_with('0'))
    }

    /// The last member; it takes all that is left, if that is one JSON value. `null` is no data.
    fn data(self) -> Option<Option<&'f RawValue>> {
        serde_json::from_str(self.0.strip_prefix(r#","data":"#)?).ok()
    }
}

fn digits(text: &str) -> Option<Number> {
    // What Rust takes besides: a plus sign.
    text.parse().ok().filter(|_| !text.starts_with('+')).map(Number)
}
