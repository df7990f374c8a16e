//! oyez under another path than `::oyez`.

extern crate oyez as town_crier;

use std::sync::Arc;

use oyez::{Event, EventMap};
use serde::{Deserialize, Serialize};

use crate::round_trip;

mod platform {
    pub(crate) use ::oyez;
}

#[derive(Debug, PartialEq, Serialize, Deserialize, platform::oyez::Event)]
#[event(name = "paths.reexport", durable, key = "0", boxed, crate = "platform::oyez")]
struct Reexported(u8);

#[derive(Debug, PartialEq, Serialize, Deserialize, town_crier::Event)]
#[event(crate = "crate::paths::town_crier", name = "paths.renamed", boxed)]
struct Renamed(u8);

#[derive(platform::oyez::EventMap)]
#[event(crate = "platform::oyez")]
enum Map {
    Reexported(Arc<Reexported>),
    Renamed(Arc<Renamed>),
}

#[test]
fn b18_a_reexport_and_a_renamed_dependency() {
    round_trip(&Reexported(1));
    round_trip(&Renamed(1));
    assert_eq!(Map::NAMES, ["paths.reexport", "paths.renamed"]);
    assert!(matches!(Map::decode("paths.reexport", 1, b"1"), Ok(Map::Reexported(reexported)) if reexported.0 == 1));
    assert!(matches!(Map::decode("paths.renamed", 1, b"1"), Ok(Map::Renamed(renamed)) if renamed.0 == 1));
}

#[test]
fn b18_a_path_inside_a_function() {
    mod inner {
        pub(super) use oyez as bus;
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
    #[event(name = "paths.inner", crate = "super::paths::platform::oyez")]
    struct Inner;

    #[derive(Debug, PartialEq, Serialize, Deserialize, inner::bus::Event)]
    #[event(name = "paths.block", crate = "inner::bus")]
    struct Block;

    round_trip(&Inner);
    round_trip(&Block);
}
