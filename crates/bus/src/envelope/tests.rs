use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::read::Wire;
use super::*;
use crate::context::{Context, EventName, Given};

fn node() -> Node {
    Node::new("app[1]: é", "0123abcd".into(), "beef".into())
}

fn written(context: &Context, data: &Value) -> Vec<u8> {
    tail(context, &data.to_string()).into_frame(&node(), 17).to_vec()
}

fn tail(context: &Context, data: &str) -> Tail {
    let write = |json: &mut Vec<u8>| {
        json.extend_from_slice(data.as_bytes());
        Ok(true)
    };
    Tail::new(context, node().opening.len(), write).unwrap().unwrap()
}

#[test]
fn t02_a_tail_holds_little_more_than_what_it_counts() {
    for size in [1, 100, 500, 1_000, 100_000, 1_000_000] {
        let data = format!("\"{}\"", "x".repeat(size));
        let made = tail(&plain("a"), &data);
        let counted = made.frame_len(&node());
        let held = made.into_frame(&node(), 1).try_into_mut().map_or(0, |frame| frame.capacity());
        assert!(held > 0 && held < counted + counted / 8 + 1024, "{size}: {counted} counted, {held} held");
    }
}

#[test]
fn t02_the_links_of_a_bus_share_an_event() {
    let context = plain("a");
    let shared = tail(&context, "[1]").shared();
    assert_eq!(shared.clone().into_frame(&node(), 17), written(&context, &json!([1])));
    assert_eq!(shared.frame_len(&node()), tail(&context, "[1]").frame_len(&node()));
}

fn plain(name: &'static str) -> Context {
    Context::new(EventName::Static(name), 1, None, (None, None))
}

#[test]
fn t04_what_a_context_knows_arrives_exactly() {
    let headers = BTreeMap::from([
        ("tenant".to_owned(), "a\"c\u{1}é".to_owned()),
        ("traceparent".to_owned(), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
    ]);
    let given = Given {
        id: Some("order/7 \"x\"".parse().unwrap()),
        correlation: Some("story".parse().unwrap()),
        causation: Some("cause".parse().unwrap()),
        headers: headers.clone(),
        origin: None,
    };
    let parent = plain("outer");
    let context = Context::new(EventName::Static("événement.créé"), 3, Some(Box::new(given)), (Some(parent), None));
    let frame = written(&context, &json!({"a": [1, null]}));
    let envelope = Envelope::read(&frame).unwrap();
    assert_eq!(envelope.origin(), Origin::Node { instance: "0123abcd" });
    assert_eq!(envelope.sequence, Some(17));
    assert_eq!(envelope.id.as_str(), "order/7 \"x\"");
    assert_eq!(envelope.name, "événement.créé");
    assert_eq!(envelope.version, Some(3));
    assert_eq!(envelope.correlation.unwrap().as_str(), "story");
    assert_eq!(envelope.causation.unwrap().as_str(), "cause");
    assert_eq!(envelope.depth, 1);
    assert_eq!(envelope.headers, headers);
    assert_eq!(envelope.time, Some(context.time()));
    assert_eq!(envelope.data.map(RawValue::get), Some(r#"{"a":[1,null]}"#));
    assert_eq!(envelope.control, None);
}

#[test]
fn t04_what_a_plain_event_does_not_need_is_not_sent() {
    let context = plain("order.paid");
    let frame = written(&context, &json!(7));
    let sent: BTreeMap<String, Value> = serde_json::from_slice(&frame).unwrap();
    let members: Vec<_> = sent.keys().map(String::as_str).collect();
    let expected =
        ["data", "datacontenttype", "eventversion", "id", "sequence", "source", "specversion", "time", "type"];
    assert_eq!(members, expected);
    assert_eq!(sent["source"], "urn:oyez:app%5B1%5D%3A%20%C3%A9:0123abcd:beef");
    assert_eq!(sent["specversion"], "1.0");
}

#[test]
fn t08_a_frame_is_no_larger_than_foretold() {
    let tail = tail(&plain("order.paid"), &json!("x".repeat(100)).to_string());
    for sequence in [0, 1, 10_000, u64::MAX] {
        let frame = tail.clone().into_frame(&node(), sequence);
        assert_eq!(Envelope::read(&frame).unwrap().sequence, Some(sequence));
        assert!(frame.starts_with(node().opening.as_bytes()));
        assert!(frame.len() <= tail.frame_len(&node()));
        assert!(frame.len() + 20 > tail.frame_len(&node()));
    }
}

#[test]
fn t07_a_beat_is_a_control_frame_with_the_last_number() {
    let frame = control_frame(&node(), 9, Control::Beat);
    let envelope = Envelope::read(&frame).unwrap();
    assert_eq!((envelope.control, envelope.sequence), (Some(Control::Beat), Some(9)));
}

fn rejected(frame: impl AsRef<[u8]>) -> RejectedReason {
    Envelope::read(frame.as_ref()).unwrap_err()
}

/// A frame as another program writes it, with one member changed.
fn foreign(member: &str, value: Value) -> String {
    let mut frame = json!({"specversion": "1.0", "id": "1", "source": "/shop", "type": "order.paid", "data": {}});
    frame[member] = value;
    frame.to_string()
}

#[test]
fn t09_bytes_that_make_no_sense_say_why() {
    assert_eq!(rejected(""), RejectedReason::NotJson);
    assert_eq!(rejected("not-json"), RejectedReason::NotJson);
    assert_eq!(rejected([0xFF, 0xFE, 0x00]), RejectedReason::NotJson);
    assert_eq!(rejected("[1]"), RejectedReason::NotAnEvent);
    assert_eq!(rejected("{}"), RejectedReason::NotAnEvent);
    assert_eq!(rejected(foreign("specversion", json!("99"))), RejectedReason::UnknownSpec);
    assert_eq!(rejected(foreign("id", json!(""))), RejectedReason::NotAnEvent);
    assert_eq!(rejected(foreign("id", json!(7))), RejectedReason::NotAnEvent);
    assert_eq!(rejected(foreign("time", json!("yesterday"))), RejectedReason::NotAnEvent);
    assert_eq!(rejected(foreign("eventversion", json!(-1))), RejectedReason::NotAnEvent);
    assert_eq!(rejected(foreign("type", json!("a..b"))), RejectedReason::IllegalName);
    assert_eq!(rejected(foreign("datacontenttype", json!("text/plain"))), RejectedReason::NotJsonData);
    assert_eq!(rejected(foreign("data_base64", json!("AA=="))), RejectedReason::NotJsonData);
}

#[test]
fn t09_deep_nesting_overflows_no_stack() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    assert_eq!(rejected(&deep), RejectedReason::NotAnEvent);
    for member in ["data", "unknown"] {
        let frame = format!(r#"{{"specversion":"1.0","id":"1","source":"/s","type":"a","{member}":{deep}}}"#);
        assert!(Envelope::read(frame.as_bytes()).is_ok());
    }
}

#[test]
fn t09_frames_without_our_attributes_are_accepted() {
    let frame = foreign("time", json!("2026-12-02T10:00:00.5+02:00"));
    let envelope = Envelope::read(frame.as_bytes()).unwrap();
    assert_eq!(envelope.origin(), Origin::Foreign { source: "/shop" });
    assert_eq!((envelope.sequence, envelope.version, envelope.depth), (None, None, 0));
    assert_eq!(envelope.time, Some(SystemTime::UNIX_EPOCH + Duration::from_millis(1_796_198_400_500)));
    for content_type in
        ["application/json", "application/json; charset=utf-8", "application/vnd.shop+json", "TEXT/JSON"]
    {
        let frame = foreign("datacontenttype", json!(content_type));
        assert!(Envelope::read(frame.as_bytes()).is_ok(), "{content_type}");
    }
    for (member, value) in [("sequence", json!(5)), ("sequence", json!("5"))] {
        let frame = foreign(member, value);
        assert_eq!(Envelope::read(frame.as_bytes()).unwrap().sequence, Some(5));
    }
}

#[test]
fn t03_only_complete_urns_of_oyez_are_nodes() {
    for source in ["urn:oyez:shop", "urn:oyez:shop:a", "urn:oyez:shop:a:", "urn:oyez::a:b", "urn:other:shop:a:b"] {
        assert_eq!(Origin::of(source), Origin::Foreign { source });
    }
    assert_eq!(Origin::of("urn:oyez:sh:op:a:b"), Origin::Node { instance: "a" });
}

/// What both readers make of a frame, as comparable text; `None` if the faster one leaves it to the other.
fn both(frame: &[u8]) -> Option<(String, String)> {
    let fast = ordered::members(frame)?;
    let general = Wire::read(frame).map(|wire| format!("{wire:?}"));
    Some((format!("{fast:?}"), general.unwrap_or_else(|reason| format!("{reason:?}"))))
}

#[test]
fn t04_frames_of_ours_are_read_in_their_own_order() {
    let frame = written(&plain("order.paid"), &json!({"a": ["}", null, 1.5e3]}));
    let (fast, general) = both(&frame).unwrap();
    assert_eq!(fast, general);
    let given = Given {
        correlation: Some("story".parse().unwrap()),
        causation: Some("cause".parse().unwrap()),
        headers: BTreeMap::from([("traceparent".to_owned(), "00-0af7".to_owned())]),
        ..Given::default()
    };
    let context =
        Context::new(EventName::Static("événement.créé"), 3, Some(Box::new(given)), (Some(plain("outer")), None));
    let (fast, general) = both(&written(&context, &json!("é"))).unwrap();
    assert_eq!(fast, general);
}

proptest! {
    #[test]
    fn t09_what_the_reader_of_ordered_members_takes_is_what_the_general_one_takes(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..6, prop::sample::select(FRAGMENTS)), 0..4),
        data in prop::sample::select(&[r#"{"a":1}"#, "7", "\"x\"", "[[]]", "null", " 1 "][..]),
    ) {
        let given = Given { correlation: Some("story".parse().unwrap()), ..Given::default() };
        let context = Context::new(EventName::Static("order.paid"), 3, Some(Box::new(given)), (Some(plain("outer")), None));
        let mut frame = tail(&context, data).into_frame(&node(), 17).to_vec();
        for (at, remove, insert) in cuts {
            let at = at.index(frame.len() + 1);
            let end = (at + remove).min(frame.len());
            frame.splice(at..end, insert.iter().copied());
        }
        if let Some((fast, general)) = both(&frame) {
            prop_assert_eq!(fast, general);
        }
    }
}

/// What a frame is damaged with.
const FRAGMENTS: &[&[u8]] = &[
    b"",
    b"\"",
    b"\\",
    b"\\u0041",
    b"\x01",
    b"\xff",
    b"}",
    b"{",
    b",",
    b"0",
    b"+",
    b"-1",
    b" ",
    b"\n",
    br#","id":"2""#,
    br#","data":8"#,
    br#","oyezdepth":9"#,
    br#","oyezcontrol":"beat""#,
    br#","unknown":{}"#,
    br#","data_base64":"""#,
    br#","eventversion":"7""#,
    b"1e3",
    b"99999999999999999999999",
];

#[test]
fn t04_a_link_with_a_longer_opening_gets_the_same_frame() {
    let longer = Node::new(&"p".repeat(200), "0123abcd".into(), "beef".into());
    let frame = tail(&plain("order.paid"), "7").into_frame(&longer, 17);
    assert!(frame.starts_with(longer.opening.as_bytes()));
    let envelope = Envelope::read(&frame).unwrap();
    assert_eq!((envelope.sequence, envelope.data.map(RawValue::get)), (Some(17), Some("7")));
}
