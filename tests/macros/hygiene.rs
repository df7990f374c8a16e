//! Types in modules whose own names collide with what a macro is tempted to write.

/// Case C13, name for name.
#[expect(dead_code, non_upper_case_globals, reason = "the names are here to be in the way")]
mod collisions {
    use oyez::Event;
    use serde::{Deserialize, Serialize};

    use crate::round_trip;

    type Result<T> = ::std::result::Result<T, MyErr>;
    struct MyErr;
    struct Option;
    struct String;
    struct Vec;
    struct Box;
    struct Arc;
    struct TypeSlot;
    struct RawValue;
    struct Some;
    struct None;
    struct Ok;
    struct Err;
    mod core {}
    mod std {}
    mod alloc {}
    mod serde_json {}
    mod typetag {}
    const event: u8 = 1;
    const version: u8 = 1;
    const json: u8 = 1;
    const SLOT: u8 = 1;
    trait ToString {}
    trait From {}
    trait Send {}
    trait Sync {}

    #[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
    #[event(name = "c13.generic")]
    struct A<E, T, S> {
        r#type: E,
        t: T,
        s: S,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
    #[event(name = "c13.const_generic")]
    enum B<const N: usize> {
        X(#[serde(with = "crate::shapes::array")] [u8; N]),
        Y {},
        Z,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
    #[event(name = "c13.self", durable, key = "type", boxed)]
    struct Self_ {
        r#type: u8,
    }

    #[derive(Debug, Serialize, Deserialize, Event)]
    #[event(name = "c13.upcast")]
    struct Old;

    #[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
    #[event(name = "c13.upcast", version = 2, upcast = [Old])]
    struct New;

    impl ::std::convert::From<Old> for New {
        fn from(_: Old) -> Self {
            Self
        }
    }

    #[derive(Event)]
    #[event(name = "c13.local", local)]
    struct Local;

    #[test]
    fn c13_user_names_that_collide_round_trip() {
        round_trip(&A { r#type: 1, t: "t".to_owned(), s: [true; 2] });
        round_trip(&B::X([1, 2, 3]));
        round_trip(&B::<0>::Y {});
        round_trip(&B::<0>::Z);
        round_trip(&Self_ { r#type: 7 });
        round_trip(&New);
        assert_eq!(New::decode(1, b"null").ok(), ::std::option::Option::Some(New));
        assert!(Local.encode().is_ok_and(|encoded| encoded.is_none()));
        assert_eq!(Self_ { r#type: 7 }.key().as_deref(), ::std::option::Option::Some("7"));
    }

    #[test]
    fn c13_a_type_inside_a_function_round_trips() {
        #[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
        #[event(name = "c13.inner", boxed)]
        struct Inner(bool);

        round_trip(&Inner(true));
    }

    mod map {
        use oyez::{Event, EventMap};

        use super::{New, Self_};

        struct V;
        type Alias = V;
        impl Event for V {
            const NAME: &'static ::core::primitive::str = "c13.v";

            fn encode(
                &self,
            ) -> ::std::result::Result<
                ::std::option::Option<::std::boxed::Box<::serde_json::value::RawValue>>,
                oyez::EncodeError,
            > {
                ::std::result::Result::Ok(::std::option::Option::None)
            }

            fn decode(_: ::core::primitive::u32, _: &[u8]) -> ::std::result::Result<Self, oyez::DecodeError> {
                ::std::result::Result::Ok(V)
            }
        }

        #[derive(EventMap)]
        #[expect(clippy::upper_case_acronyms, reason = "the name is here to be in the way")]
        enum Map {
            NAMES(::std::sync::Arc<Self_>),
            Some(::std::sync::Arc<New>),
            Ok(::std::sync::Arc<Alias>),
        }

        #[test]
        fn c13_an_event_map_among_colliding_names() {
            assert_eq!(<Map as EventMap>::NAMES, ["c13.self", "c13.upcast", "c13.v"]);
            assert!(matches!(Map::decode("c13.self", 1, br#"{"type":1}"#), Ok(Map::NAMES(_))));
            assert!(matches!(Map::decode("c13.upcast", 1, b"null"), Ok(Map::Some(_))));
            assert!(matches!(Map::decode("c13.v", 1, b""), Ok(Map::Ok(_))));
        }
    }
}

/// Names that serde's derives do not bear.
#[expect(dead_code, non_camel_case_types, reason = "the names are here to be in the way")]
mod primitives {
    use std::sync::Arc;

    use oyez::{Event, EventMap};

    struct str;
    struct u8;
    struct usize;
    type bool = ();

    #[derive(Debug, Event)]
    #[event(name = "primitives.u32", local, version = 2)]
    struct u32;

    #[derive(Debug, EventMap)]
    enum Map {
        U32(Arc<u32>),
    }

    #[test]
    fn c13_user_names_of_primitive_types() {
        assert!(u32.encode().is_ok_and(|encoded| encoded.is_none()));
        assert_eq!((u32::NAME, u32::VERSION, u32::LOCAL), ("primitives.u32", 2, true));
        assert!(Map::decode("primitives.u32", 2, b"").is_err());
    }
}

/// A module that has no prelude at all.
#[no_implicit_prelude]
mod bare {
    #[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::serde::Serialize, ::serde::Deserialize, ::oyez::Event)]
    #[event(name = "bare.one", durable, key = "0", boxed)]
    struct One(u8);

    #[derive(::oyez::Event)]
    #[event(name = "bare.generic", local)]
    struct Generic<T>(T);

    #[derive(::oyez::EventMap)]
    enum Map {
        One(::std::sync::Arc<One>),
    }

    #[test]
    fn b18_a_module_without_prelude() {
        crate::round_trip(&One(1));
        let generic = Generic(1);
        ::std::assert!(::oyez::Event::encode(&generic).is_ok_and(|encoded| encoded.is_none() && generic.0 == 1));
        let read = <Map as ::oyez::EventMap>::decode("bare.one", 1, b"1");
        ::std::assert!(::std::matches!(read, ::std::result::Result::Ok(Map::One(one)) if *one == One(1)));
    }
}

/// Types whose tokens come out of other macros.
mod inside_macros {
    use std::sync::Arc;

    use oyez::{Event, EventMap};
    use serde::{Deserialize, Serialize};

    macro_rules! events {
        ($map:ident: $($type:ident($field:ty) = $name:literal v $version:expr),*) => {
            $(
                #[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
                #[event(name = $name, version = $version)]
                struct $type($field);
            )*

            #[derive(EventMap)]
            enum $map { $($type(Arc<$type>)),* }
        };
    }

    events!(Map: First(u8) = "macro.first" v 1, Second(Vec<String>) = "macro.second" v 2);

    #[test]
    fn b18_types_made_by_a_declarative_macro() {
        crate::round_trip(&First(1));
        crate::round_trip(&Second(vec!["a".to_owned()]));
        assert_eq!((First::VERSION, Second::VERSION), (1, 2));
        assert_eq!(Map::NAMES, ["macro.first", "macro.second"]);
        assert!(matches!(Map::decode("macro.first", 1, b"1"), Ok(Map::First(first)) if first.0 == 1));
        assert!(matches!(Map::decode("macro.second", 2, b"[]"), Ok(Map::Second(second)) if second.0.is_empty()));
    }
}
