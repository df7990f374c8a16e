//! [`Pattern`]: which names a subscription wants.

use std::fmt;
use std::str::FromStr;

use crate::name::{NameError, check_length, is_forbidden};

/// A pattern over event names (promise B9).
///
/// A pattern is split at `.` into segments. `*` as a whole segment stands for exactly one segment, `**` as the last one
/// for one or more, and `*` alone for every name. Any other text stands for itself; `orders.**` does not match
/// `orders`.
///
/// ```
/// use oyez_bus::Pattern;
///
/// let pattern: Pattern = "order.*.paid".parse()?;
/// assert!(pattern.matches("order.7.paid"));
/// assert!(!pattern.matches("order.paid"));
/// # Ok::<(), oyez_bus::PatternError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Pattern {
    text: Box<str>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    All,
    Literal,
    Segments,
}

/// A text is no legal pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The text breaks a rule that names have too.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A `*` is only a part of a segment: a wildcard is a whole segment.
    #[error("`*` stands inside a segment; a wildcard is a whole segment, like `user.*`")]
    PartialWildcard,
    /// `**` stands before the last segment.
    #[error("`**` stands before the last segment; it may only end a pattern, like `user.**`")]
    InnerRest,
}

impl Pattern {
    /// `*`: every name.
    #[must_use]
    pub fn all() -> Self {
        Self { text: "*".into(), kind: Kind::All }
    }

    /// Whether `name` is one of the names this pattern stands for.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        match self.kind {
            Kind::All => true,
            Kind::Literal => *self.text == *name,
            Kind::Segments => matches_segments(&self.text, name),
        }
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the pattern has no wildcard, and so stands for one name.
    pub(crate) fn is_literal(&self) -> bool {
        self.kind == Kind::Literal
    }
}

fn matches_segments(pattern: &str, name: &str) -> bool {
    let mut segments = name.split('.');
    for wanted in pattern.split('.') {
        match (wanted, segments.next()) {
            ("**", Some(_)) => return true,
            ("*", Some(_)) => {}
            (wanted, Some(segment)) if wanted == segment => {}
            _ => return false,
        }
    }
    segments.next().is_none()
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        check_length(text)?;
        if let Some(found) = text.chars().find(|&c| c != '*' && is_forbidden(c)) {
            return Err(NameError::Forbidden { found }.into());
        }
        let mut kind = Kind::Literal;
        let mut segments = text.split('.').peekable();
        while let Some(segment) = segments.next() {
            match segment {
                "" => return Err(NameError::EmptySegment.into()),
                "**" if segments.peek().is_some() => return Err(PatternError::InnerRest),
                "*" | "**" => kind = Kind::Segments,
                _ if segment.contains('*') => return Err(PatternError::PartialWildcard),
                _ => {}
            }
        }
        if text == "*" || text == "**" {
            kind = Kind::All;
        }
        Ok(Self { text: text.into(), kind })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({:?})", self.text)
    }
}

/// Texts that can be parsed into a [`Pattern`], for methods that take either.
pub trait IntoPattern {
    /// The pattern.
    ///
    /// # Errors
    /// The text is no legal pattern.
    fn into_pattern(self) -> Result<Pattern, PatternError>;
}

impl IntoPattern for Pattern {
    fn into_pattern(self) -> Result<Pattern, PatternError> {
        Ok(self)
    }
}

impl<T: AsRef<str> + ?Sized> IntoPattern for &T {
    fn into_pattern(self) -> Result<Pattern, PatternError> {
        self.as_ref().parse()
    }
}

impl IntoPattern for String {
    fn into_pattern(self) -> Result<Pattern, PatternError> {
        self.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b09_illegal_patterns_say_why() {
        let cases = [
            ("", PatternError::Name(NameError::Empty)),
            ("a..*", PatternError::Name(NameError::EmptySegment)),
            ("a b", PatternError::Name(NameError::Forbidden { found: ' ' })),
            ("a.>", PatternError::Name(NameError::Forbidden { found: '>' })),
            ("us*r.x", PatternError::PartialWildcard),
            ("a.***", PatternError::PartialWildcard),
            ("**.a", PatternError::InnerRest),
            ("a.**.b", PatternError::InnerRest),
        ];
        for (text, error) in cases {
            assert_eq!(text.parse::<Pattern>().err(), Some(error), "{text:?}");
        }
    }

    #[test]
    fn b09_what_a_pattern_matches() {
        let cases = [
            ("*", "a.b.c", true),
            ("**", "a", true),
            ("a.*", "a.b", true),
            ("a.*", "a.b.c", false),
            ("a.*", "a", false),
            ("a.**", "a.b.c", true),
            ("a.**", "a", false),
            ("*.paid", "order.paid", true),
            ("*.*", "a", false),
            ("price[eu]", "price[eu]", true),
            ("a.b", "a.b.c", false),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(pattern.parse::<Pattern>().unwrap().matches(name), expected, "{pattern} {name}");
        }
    }
}
