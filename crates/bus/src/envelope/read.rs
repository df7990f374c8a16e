//! [`Envelope`]: a received frame, read as far as its payload.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::SystemTime;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, Visitor};
use serde_json::value::RawValue;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::ordered;
use super::write::TRACING;
use crate::envelope::Origin;
use crate::id::EventId;
use crate::name::check_name;

/// A frame that makes sense: an event with its payload still as text, or a control frame.
#[derive(Debug)]
pub(crate) struct Envelope<'f> {
    pub(crate) source: Cow<'f, str>,
    pub(crate) sequence: Option<u64>,
    pub(crate) id: EventId,
    pub(crate) name: Cow<'f, str>,
    pub(crate) control: Option<Control>,
    /// `None` from foreign writers that do not say.
    pub(crate) version: Option<u32>,
    pub(crate) time: Option<SystemTime>,
    pub(crate) correlation: Option<EventId>,
    pub(crate) causation: Option<EventId>,
    pub(crate) depth: usize,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) data: Option<&'f RawValue>,
}

/// What a frame without an event is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Control {
    /// The sender is idle, or says good-bye: its `sequence` is the last that it has used.
    Beat,
    /// Of a newer version; of no use here.
    Unknown,
}

/// Why a frame was rejected (promise T9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RejectedReason {
    /// It is not JSON.
    NotJson,
    /// It is JSON, but no CloudEvents envelope: an attribute lacks, or is of the wrong kind.
    NotAnEvent,
    /// Its `specversion` is not 1.0.
    UnknownSpec,
    /// Its payload is not JSON, as `datacontenttype` or `data_base64` says.
    NotJsonData,
    /// Its `type` is no legal event name (promise B9).
    IllegalName,
    /// No subscribed type can be read from its payload (promise B12).
    Undecodable,
}

/// The members of a frame that mean anything to oyez.
#[derive(Debug, Deserialize)]
pub(super) struct Wire<'f> {
    #[serde(borrow)]
    pub(super) specversion: Cow<'f, str>,
    #[serde(borrow)]
    pub(super) source: Cow<'f, str>,
    #[serde(borrow)]
    pub(super) id: Cow<'f, str>,
    #[serde(borrow, rename = "type")]
    pub(super) name: Cow<'f, str>,
    #[serde(borrow, default)]
    pub(super) time: Option<Text<'f>>,
    #[serde(borrow, default)]
    pub(super) datacontenttype: Option<Text<'f>>,
    #[serde(borrow, default)]
    pub(super) data: Option<&'f RawValue>,
    #[serde(default)]
    pub(super) data_base64: Option<IgnoredAny>,
    #[serde(default)]
    pub(super) sequence: Option<Number>,
    #[serde(default)]
    pub(super) eventversion: Option<Number>,
    #[serde(default)]
    pub(super) oyezdepth: Option<Number>,
    #[serde(borrow, default)]
    pub(super) oyezcontrol: Option<Text<'f>>,
    #[serde(borrow, default)]
    pub(super) oyezheaders: Option<Text<'f>>,
    #[serde(borrow, default)]
    pub(super) correlationid: Option<Text<'f>>,
    #[serde(borrow, default)]
    pub(super) causationid: Option<Text<'f>>,
    #[serde(borrow, default)]
    pub(super) traceparent: Option<Text<'f>>,
    #[serde(borrow, default)]
    pub(super) tracestate: Option<Text<'f>>,
}

/// Text that is borrowed from the frame where it has no escapes, also inside of an `Option`.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Text<'f>(#[serde(borrow)] pub(super) Cow<'f, str>);

/// A number, or its decimal digits as text: CloudEvents attributes may be either.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Number(pub(super) u64);

impl<'f> Envelope<'f> {
    /// Reads a frame. The payload is passed over, not parsed (promise T14).
    pub(crate) fn read(frame: &'f [u8]) -> Result<Self, RejectedReason> {
        Self::of(ordered::members(frame).map_or_else(|| Wire::read(frame), Ok)?)
    }

    fn of(wire: Wire<'f>) -> Result<Self, RejectedReason> {
        if wire.specversion != "1.0" {
            return Err(RejectedReason::UnknownSpec);
        }
        let control = wire.oyezcontrol.map(|Text(text)| Control::of(&text));
        if control.is_none() {
            check_name(&wire.name).map_err(|_| RejectedReason::IllegalName)?;
        }
        let is_json = wire.datacontenttype.is_none_or(|Text(text)| is_json(&text));
        if !is_json || wire.data_base64.is_some() {
            return Err(RejectedReason::NotJsonData);
        }
        let id = |text: Cow<'f, str>| text.parse::<EventId>().map_err(|_| RejectedReason::NotAnEvent);
        let version = wire.eventversion.map(|Number(version)| u32::try_from(version)).transpose();
        Ok(Self {
            id: id(wire.id)?,
            correlation: wire.correlationid.map(|Text(text)| id(text)).transpose()?,
            causation: wire.causationid.map(|Text(text)| id(text)).transpose()?,
            sequence: wire.sequence.map(|Number(sequence)| sequence),
            version: version.map_err(|_| RejectedReason::NotAnEvent)?,
            depth: wire.oyezdepth.map_or(0, |Number(depth)| usize::try_from(depth).unwrap_or(usize::MAX)),
            time: wire.time.map(|Text(text)| read_time(&text)).transpose()?,
            headers: headers(wire.oyezheaders.as_ref().map(|Text(text)| &**text), [wire.traceparent, wire.tracestate])?,
            source: wire.source,
            name: wire.name,
            control,
            data: wire.data,
        })
    }

    pub(crate) fn origin(&self) -> Origin<'_> {
        Origin::of(&self.source)
    }
}

impl<'f> Wire<'f> {
    /// Reads members in whatever order they are.
    pub(super) fn read(frame: &'f [u8]) -> Result<Self, RejectedReason> {
        let reason = |error: serde_json::Error| {
            if error.is_data() { RejectedReason::NotAnEvent } else { RejectedReason::NotJson }
        };
        serde_json::from_slice(frame).map_err(reason)
    }
}

fn is_json(content_type: &str) -> bool {
    if content_type == "application/json" {
        return true;
    }
    let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media_type.ends_with("/json") || media_type.ends_with("+json")
}

fn read_time(text: &str) -> Result<SystemTime, RejectedReason> {
    OffsetDateTime::parse(text, &Rfc3339).map(SystemTime::from).map_err(|_| RejectedReason::NotAnEvent)
}

fn headers(json: Option<&str>, tracing: [Option<Text<'_>>; 2]) -> Result<BTreeMap<String, String>, RejectedReason> {
    let mut headers: BTreeMap<String, String> = match json {
        Some(json) => serde_json::from_str(json).map_err(|_| RejectedReason::NotAnEvent)?,
        None => BTreeMap::new(),
    };
    let present = TRACING.into_iter().zip(tracing).filter_map(|(name, value)| Some((name, value?)));
    headers.extend(present.map(|(name, Text(value))| (name.into(), value.into())));
    Ok(headers)
}

impl Control {
    /// The `type` of control frames; what makes them one is the attribute `oyezcontrol`.
    pub(crate) const NAME: &str = "oyez.control";

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Beat => "beat",
            Self::Unknown => "",
        }
    }

    fn of(text: &str) -> Self {
        if text == Self::Beat.as_str() { Self::Beat } else { Self::Unknown }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl Visitor<'_> for Either {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or its digits")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Number, E> {
                Ok(Number(number))
            }

            fn visit_str<E: Error>(self, digits: &str) -> Result<Number, E> {
                digits.parse().map(Number).map_err(E::custom)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl fmt::Display for RejectedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotJson => "not JSON",
            Self::NotAnEvent => "no CloudEvents envelope",
            Self::UnknownSpec => "an unknown version of CloudEvents",
            Self::NotJsonData => "a payload that is not JSON",
            Self::IllegalName => "a name that is not legal",
            Self::Undecodable => "a payload that no subscribed type can be read from",
        })
    }
}
