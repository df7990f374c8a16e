//! Every shape a type can have.

use std::collections::HashMap;
use std::marker::PhantomData;

use oyez::{DecodeErrorKind, Event};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{decode_failure, round_trip};

/// serde has no implementation for arrays of any length.
pub(crate) mod array {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer, const N: usize>(array: &[u8; N], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(array)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>, const N: usize>(from: D) -> Result<[u8; N], D::Error> {
        Vec::deserialize(from)?.try_into().map_err(|_| D::Error::custom("another length"))
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "shape.named")]
struct Named {
    id: u64,
    r#match: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "shape.tuple")]
struct Tuple(u64, String);

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "shape.unit")]
struct Unit;

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "shape.raw")]
struct r#Raw {
    r#type: u8,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "shape.enum")]
enum Choice {
    Unit,
    Tuple(u8, u8),
    Named { a: u8 },
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "shape.generic")]
struct Generic<T> {
    value: T,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "shape.default")]
struct Default_<T = u8, const N: usize = 2>(T, #[serde(with = "array")] [u8; N]);

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "shape.where")]
#[serde(bound = "")]
struct Where<K, V>
where
    K: Serialize + DeserializeOwned + std::hash::Hash + Eq + Send + Sync + 'static,
    V: Serialize + DeserializeOwned + Copy + Send + Sync + 'static,
{
    pairs: HashMap<K, V>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "shape.phantom")]
struct Phantom<T: ?Sized>(PhantomData<fn(&T)>);

#[derive(Event)]
#[event(name = "shape.local_generic", local)]
struct LocalGeneric<F: Fn()>(F);

#[test]
fn b18_structs_and_enums() {
    assert_eq!(round_trip(&Named { id: 1, r#match: "m".to_owned() }), r#"{"id":1,"match":"m"}"#);
    assert_eq!(round_trip(&Tuple(1, "m".to_owned())), r#"[1,"m"]"#);
    assert_eq!(round_trip(&Unit), "null");
    assert_eq!(round_trip(&Raw { r#type: 1 }), r#"{"type":1}"#);
    assert_eq!(round_trip(&Choice::Unit), r#""Unit""#);
    assert_eq!(round_trip(&Choice::Tuple(1, 2)), r#"{"Tuple":[1,2]}"#);
    assert_eq!(round_trip(&Choice::Named { a: 1 }), r#"{"Named":{"a":1}}"#);
}

#[test]
fn b18_generics_and_where_clauses() {
    assert_eq!(round_trip(&Generic { value: "v".to_owned() }), r#"{"value":"v"}"#);
    assert_eq!(round_trip(&Generic { value: Generic { value: 1 } }), r#"{"value":{"value":1}}"#);
    assert_eq!(round_trip(&Default_::<u8>(1, [2, 3])), "[1,[2,3]]");
    assert_eq!(round_trip(&Where { pairs: HashMap::from([("k".to_owned(), 1)]) }), r#"{"pairs":{"k":1}}"#);
    assert_eq!(round_trip(&Phantom::<str>(PhantomData)), "null");
    assert!(LocalGeneric(|| ()).encode().is_ok_and(|encoded| encoded.is_none()));
}

#[test]
fn b18_each_type_has_one_slot_of_its_own() {
    let slots = [
        Named::slot(),
        Tuple::slot(),
        Unit::slot(),
        Generic::<u8>::slot(),
        Generic::<u16>::slot(),
        Default_::<u8, 1>::slot(),
        Default_::<u8, 2>::slot(),
    ];
    let again = [
        Named::slot(),
        Tuple::slot(),
        Unit::slot(),
        Generic::<u8>::slot(),
        Generic::<u16>::slot(),
        Default_::<u8, 1>::slot(),
        Default_::<u8, 2>::slot(),
    ];
    for (i, slot) in slots.into_iter().enumerate() {
        for (j, other) in again.into_iter().enumerate() {
            assert_eq!(std::ptr::eq(slot, other), i == j, "{i} {j}");
        }
    }
}

#[test]
fn b18_a_payload_of_another_shape_is_malformed() {
    assert_eq!(decode_failure::<Named>(1, r#"{"id":1}"#), DecodeErrorKind::Malformed);
    assert_eq!(decode_failure::<Named>(1, r#"{"id":"#), DecodeErrorKind::Malformed);
    assert_eq!(decode_failure::<Named>(1, ""), DecodeErrorKind::Malformed);
    assert_eq!(decode_failure::<Tuple>(1, r#"[1,"m"] trailing"#), DecodeErrorKind::Malformed);
}

#[test]
fn b18_what_json_does_not_have_is_an_encode_error() {
    #[derive(Serialize, Deserialize, Event)]
    #[event(name = "shape.not_json")]
    struct NotJson(HashMap<Option<Vec<u8>>, u8>);

    let event = NotJson(HashMap::from([(Some(vec![1]), 1)]));
    let error = event.encode().expect_err("a list is no key of a JSON object");
    assert!(std::error::Error::source(&error).is_some());
}
