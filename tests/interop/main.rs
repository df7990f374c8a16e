//! What other programs make of our frames, and we of theirs: frames are CloudEvents 1.0 in JSON (promises T4 and T9).

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails here")]

#[cfg(all(feature = "nats", feature = "redis"))]
mod by_hand;
mod ours;
mod python;
mod rust_sdk;
mod theirs;

use oyez::Event;
use serde::{Deserialize, Serialize};

/// What the nodes of these tests share.
const PREFIX: &str = "shop";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Event)]
#[event(name = "order.paid")]
struct OrderPaid {
    order: u64,
    note: String,
}
