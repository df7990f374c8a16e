//! [`Token`]: what proves that a claim is still one's own.

use std::fmt;

use uuid::Uuid;

/// The random name of one claim (promise L7). Whoever bears another one changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(Uuid);

impl Token {
    /// The token of a claim that has ended and that nobody has taken over yet.
    pub const NOBODYS: Self = Self(Uuid::nil());

    /// A token that nobody else has.
    #[must_use]
    pub fn random() -> Self {
        Self(Uuid::new_v4())
    }

    /// The token with these 16 bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }

    /// Its 16 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
