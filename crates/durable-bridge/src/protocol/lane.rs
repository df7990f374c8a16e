//! [`Lane`]: which of 64 parts of the log an event's key belongs to.

use md5::{Digest, Md5};

/// One of the 64 parts into which keys are spread, so that ordered consumers can share the work; or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane(u8);

impl Lane {
    /// How many lanes there are; stored with every event, and so fixed for ever.
    pub const COUNT: u8 = 64;

    /// All lanes: what consumers without an order claim in.
    pub const ALL: Self = Self(Self::COUNT);

    /// The lane of a key: the first four bytes of its MD5 (RFC 1321), as a big-endian number, modulo 64. Every engine can
    /// compute it, also in SQL.
    #[must_use]
    pub fn of(key: &str) -> Self {
        let [a, b, c, d, ..] = <[u8; 16]>::from(Md5::digest(key.as_bytes()));
        Self((u32::from_be_bytes([a, b, c, d]) % u32::from(Self::COUNT)) as u8)
    }

    /// The lane with this number, if there is one; 64 is [`ALL`](Self::ALL).
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        (number <= Self::COUNT).then_some(Self(number))
    }

    /// Its number, 0 to 63, or 64 for [`ALL`](Self::ALL).
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_what_they_have_always_been() {
        // `printf %s KEY | md5sum | cut -c1-8`, modulo 64.
        let lanes = ["", "a", "order-1", "расчёт"].map(|key| Lane::of(key).number());
        assert_eq!(lanes, [25, 57, 41, 6]);
    }
}
