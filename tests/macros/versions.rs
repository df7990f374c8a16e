//! Payloads of older and newer versions (promise B19).

use oyez::{DecodeErrorKind, Event};
use serde::{Deserialize, Serialize};

use crate::{decode_failure, round_trip};

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "user.created")]
struct UserV1 {
    name: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "user.created", version = 2, upcast = [UserV1])]
struct UserV2 {
    first: String,
    last: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "user.created", version = 4, upcast = [UserV2])]
struct User {
    first: String,
    last: String,
    path: Vec<u32>,
}

impl From<UserV1> for UserV2 {
    fn from(old: UserV1) -> Self {
        let (first, last) = old.name.split_once(' ').unwrap_or((&old.name, ""));
        Self { first: first.to_owned(), last: last.to_owned() }
    }
}

impl From<UserV2> for User {
    fn from(old: UserV2) -> Self {
        Self { first: old.first, last: old.last, path: vec![2] }
    }
}

#[test]
fn b19_older_payloads_go_through_the_chain() {
    let user = |path| User { first: "Ada".to_owned(), last: "Lovelace".to_owned(), path };
    let read = |version, json: &str| User::decode(version, json.as_bytes()).expect("the version is known");

    assert_eq!(read(1, r#"{"name":"Ada Lovelace"}"#), user(vec![2]));
    assert_eq!(read(2, r#"{"first":"Ada","last":"Lovelace"}"#), user(vec![2]));
    assert_eq!(read(4, r#"{"first":"Ada","last":"Lovelace","path":[]}"#), user(vec![]));
    round_trip(&user(vec![1]));
}

#[test]
fn b19_a_version_that_is_not_known_is_never_read() {
    // Each payload would fit some version's type.
    let fits_all = r#"{"name":"Ada Lovelace","first":"Ada","last":"Lovelace","path":[]}"#;
    for version in [0, 3, 5, u32::MAX] {
        assert!(!User::reads(version), "{version}");
        assert_eq!(decode_failure::<User>(version, fits_all), DecodeErrorKind::UnknownVersion { version });
    }
    for version in [1, 2, 4] {
        assert!(User::reads(version), "{version}");
        assert!(User::decode(version, fits_all.as_bytes()).is_ok(), "{version}");
    }
    assert_eq!(decode_failure::<UserV1>(2, fits_all), DecodeErrorKind::UnknownVersion { version: 2 });
}

#[test]
fn b19_an_older_payload_of_another_shape_is_malformed() {
    assert_eq!(decode_failure::<User>(1, r#"{"first":"Ada","last":"Lovelace"}"#), DecodeErrorKind::Malformed);
    assert_eq!(decode_failure::<User>(2, r#"{"name":"Ada Lovelace"}"#), DecodeErrorKind::Malformed);
}

#[test]
fn b19_the_first_type_that_reads_a_version_wins() {
    #[derive(Serialize, Deserialize, Event)]
    #[event(name = "n")]
    struct V1;

    #[derive(Serialize, Deserialize, Event)]
    #[event(name = "n", version = 2, upcast = [V1])]
    struct V2;

    #[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
    #[event(name = "n", version = 3, upcast = [V1, V2])]
    struct Direct(u8);

    #[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
    #[event(name = "n", version = 3, upcast = [V2, V1])]
    struct Chained(u8);

    impl From<V1> for V2 {
        fn from(_: V1) -> Self {
            Self
        }
    }
    impl From<V1> for Direct {
        fn from(_: V1) -> Self {
            Self(1)
        }
    }
    impl From<V2> for Direct {
        fn from(_: V2) -> Self {
            Self(2)
        }
    }
    impl From<V1> for Chained {
        fn from(_: V1) -> Self {
            Self(1)
        }
    }
    impl From<V2> for Chained {
        fn from(_: V2) -> Self {
            Self(2)
        }
    }

    assert_eq!(Direct::decode(1, b"null").ok(), Some(Direct(1)));
    assert_eq!(Direct::decode(2, b"null").ok(), Some(Direct(2)));
    assert_eq!(Chained::decode(1, b"null").ok(), Some(Chained(2)));
    assert_eq!(Chained::decode(2, b"null").ok(), Some(Chained(2)));
}

#[test]
fn b19_generic_events_upcast_too() {
    #[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
    #[event(name = "changed")]
    struct ChangedV1<T>(T);

    #[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
    #[event(name = "changed", version = 2, upcast = [ChangedV1<T>])]
    struct Changed<T> {
        to: T,
    }

    impl<T> From<ChangedV1<T>> for Changed<T> {
        fn from(old: ChangedV1<T>) -> Self {
            Self { to: old.0 }
        }
    }

    assert_eq!(Changed::<u8>::VERSION, 2);
    assert_eq!(Changed::<u8>::decode(1, b"7").ok(), Some(Changed { to: 7 }));
    assert_eq!(Changed::<String>::decode(1, b"\"7\"").ok(), Some(Changed { to: "7".to_owned() }));
    round_trip(&Changed { to: true });
}
