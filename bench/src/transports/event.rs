//! [`Paid`]: what every row carries, 200 bytes as JSON.

use oyez::Event;
use serde::{Deserialize, Serialize};

use crate::clock;

#[derive(Debug, Clone, Serialize, Deserialize, Event)]
#[event(name = "bench.paid")]
pub(super) struct Paid {
    number: u64,
    /// By the shared clock.
    pub(super) sent_at: u64,
    order: String,
    customer: String,
    currency: String,
    cents: u64,
    items: u32,
    express: bool,
    note: String,
}

impl Paid {
    pub(super) fn new(number: u64) -> Self {
        Self {
            // So that all have the same length.
            number: 1_000_000_000 + number,
            sent_at: clock::now(),
            order: "0198c5a2-7f3e-7d41-9b6c-2f4be1d0a957".to_owned(),
            customer: "customer-00017".to_owned(),
            currency: "EUR".to_owned(),
            cents: 1299,
            items: 3,
            express: true,
            note: "ring once".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_200_bytes_of_json() {
        for number in [0, 1, 99_999] {
            assert_eq!(serde_json::to_vec(&Paid::new(number)).ok().map(|json| json.len()), Some(200));
        }
    }
}
