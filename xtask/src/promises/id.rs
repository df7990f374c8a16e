//! [`Id`]: the number of a promise.

use std::fmt;

/// The number of a promise: a letter and digits. `B4`, `b4` and `b04` are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id {
    letter: char,
    number: u16,
}

impl Id {
    /// Reads an id, and nothing but an id.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut rest = text.chars();
        let letter = rest.next().filter(char::is_ascii_alphabetic)?;
        let digits = rest.as_str();
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Some(Self { letter: letter.to_ascii_uppercase(), number: digits.parse().ok()? })
    }

    /// The ids that a test's name begins with: `b12_d01_unknown_names_work` bears two.
    pub(super) fn borne_by(test: &str) -> impl Iterator<Item = Self> {
        // The last segment is the test's own name, whatever it looks like.
        let segments = test.rsplit_once('_').map_or("", |(front, _)| front);
        segments.split('_').map_while(Self::of)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.letter, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_leading_zeros_do_not_matter() {
        let id = Id::of("B4");
        assert!(id.is_some());
        assert_eq!(id, Id::of("b04"));
        assert_eq!(Id::of("c010"), Id::of("C10"));
        assert_ne!(Id::of("B4"), Id::of("D4"));
    }

    #[test]
    fn what_is_not_a_letter_and_digits_is_no_id() {
        for text in ["", "B", "4", "B4a", "BB4", "B-4", "B+4", "É4", "B99999999"] {
            assert_eq!(Id::of(text), None, "{text}");
        }
    }

    #[test]
    fn a_test_bears_the_ids_it_begins_with() {
        let ids = |test| Id::borne_by(test).map(|id| id.to_string());
        assert_eq!(ids("b04_removed_is_skipped").collect::<Vec<_>>(), ["B4"]);
        assert_eq!(ids("b12_d1_unknown_v2").collect::<Vec<_>>(), ["B12", "D1"]);
        assert_eq!(ids("a_handler_b04_is_off").count(), 0);
        assert_eq!(ids("b04").count(), 0);
    }
}
