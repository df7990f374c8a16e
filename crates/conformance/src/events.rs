//! The events of the suite.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use oyez_bus_macros::Event;
use serde::{Deserialize, Deserializer, Serialize};

/// The plain event: every node keeps those it gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Event)]
#[event(name = "tick", crate = "oyez_bus")]
pub(crate) struct Tick {
    pub(crate) n: u64,
}

/// An event that handlers take their time for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Event)]
#[event(name = "task.slow", crate = "oyez_bus")]
pub(crate) struct Slow {
    pub(crate) n: u64,
}

/// An event of any size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Event)]
#[event(name = "blob", crate = "oyez_bus")]
pub(crate) struct Blob {
    pub(crate) text: String,
}

/// An event with a field of each kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "événement.créé", version = 3, crate = "oyez_bus")]
pub(crate) struct Rich {
    pub(crate) text: String,
    pub(crate) number: f64,
    pub(crate) large: u64,
    pub(crate) small: i64,
    pub(crate) nothing: Option<u8>,
    pub(crate) list: Vec<Rich>,
    pub(crate) map: BTreeMap<String, bool>,
}

/// Something that a node tells another in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Event)]
#[event(name = "said", crate = "oyez_bus")]
pub(crate) struct Said {
    pub(crate) by: String,
    pub(crate) what: String,
}

/// An event that JSON has no form for: a map whose keys are pairs.
#[derive(Debug, Clone, Serialize, Deserialize, Event)]
#[event(name = "unwritable", crate = "oyez_bus")]
pub(crate) struct Unwritable {
    pub(crate) map: BTreeMap<(u8, u8), u8>,
}

/// An event that counts how often it is decoded.
#[derive(Debug, Clone, Serialize, Event)]
#[event(name = "costly", crate = "oyez_bus")]
pub(crate) struct Costly {
    pub(crate) n: u64,
}

pub(crate) static DECODED: AtomicUsize = AtomicUsize::new(0);

impl<'de> Deserialize<'de> for Costly {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        DECODED.fetch_add(1, Ordering::SeqCst);
        let Tick { n } = Tick::deserialize(deserializer)?;
        Ok(Self { n })
    }
}
