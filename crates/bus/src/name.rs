//! The rules for event names (promise B9).

/// Most bytes a name, a pattern or an id may have.
pub(crate) const MAX_BYTES: usize = 255;

/// A text is no legal event name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The text is empty.
    #[error("the name is empty")]
    Empty,
    /// The text has more than 255 bytes.
    #[error("the name has {len} bytes, more than 255")]
    TooLong {
        /// Its length in bytes.
        len: usize,
    },
    /// A segment between two dots, or before the first or after the last, is empty.
    #[error("the name has an empty segment")]
    EmptySegment,
    /// The text has whitespace, a control character, `*` or `>`.
    #[error("the name has the character {found:?}")]
    Forbidden {
        /// The first such character.
        found: char,
    },
}

/// Whether `name` is a legal event name.
///
/// # Errors
/// The first rule of B9 that it breaks.
///
/// ```
/// use oyez_bus::{NameError, check_name};
///
/// assert_eq!(check_name("événement.créé"), Ok(()));
/// assert_eq!(check_name("user..created"), Err(NameError::EmptySegment));
/// ```
pub const fn check_name(name: &str) -> Result<(), NameError> {
    if let Err(error) = check_length(name) {
        return Err(error);
    }
    let mut rest = name;
    let mut empty = true;
    while let Some((c, tail)) = split_first(rest) {
        match c {
            '.' if empty => return Err(NameError::EmptySegment),
            '.' => empty = true,
            c if is_forbidden(c) => return Err(NameError::Forbidden { found: c }),
            _ => empty = false,
        }
        rest = tail;
    }
    if empty { Err(NameError::EmptySegment) } else { Ok(()) }
}

pub(crate) const fn check_length(text: &str) -> Result<(), NameError> {
    match text.len() {
        0 => Err(NameError::Empty),
        len if len > MAX_BYTES => Err(NameError::TooLong { len }),
        _ => Ok(()),
    }
}

pub(crate) const fn is_forbidden(c: char) -> bool {
    // The control characters (Unicode category Cc) are these two ranges.
    c.is_whitespace() || matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '*' | '>')
}

/// The first character and the rest, where `Chars` cannot be used: while compiling.
const fn split_first(text: &str) -> Option<(char, &str)> {
    if text.is_empty() {
        return None;
    }
    let mut end = 1;
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let (first, rest) = text.split_at(end);
    let bytes = first.as_bytes();
    let mut code = match bytes.len() {
        1 => bytes[0] as u32,
        2 => (bytes[0] & 0x1f) as u32,
        3 => (bytes[0] & 0x0f) as u32,
        _ => (bytes[0] & 0x07) as u32,
    };
    let mut at = 1;
    while at < bytes.len() {
        code = code << 6 | (bytes[at] & 0x3f) as u32;
        at += 1;
    }
    match char::from_u32(code) {
        Some(c) => Some((c, rest)),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b09_legal_names() {
        let longest = "x".repeat(255);
        for name in ["a", "billing:eu", "événement.créé", "a/b", "price[eu]", "%", "a.b.c", "🦀", &longest] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn b09_illegal_names_say_why() {
        let long = "é".repeat(128);
        let cases = [
            ("", NameError::Empty),
            (&long, NameError::TooLong { len: 256 }),
            ("a..b", NameError::EmptySegment),
            (".x", NameError::EmptySegment),
            ("x.", NameError::EmptySegment),
            (".", NameError::EmptySegment),
            ("a b", NameError::Forbidden { found: ' ' }),
            ("a\u{2003}b", NameError::Forbidden { found: '\u{2003}' }),
            ("a\r\nb", NameError::Forbidden { found: '\r' }),
            ("a\u{0}", NameError::Forbidden { found: '\u{0}' }),
            ("a.*", NameError::Forbidden { found: '*' }),
            ("a.>", NameError::Forbidden { found: '>' }),
        ];
        for (name, error) in cases {
            assert_eq!(check_name(name), Err(error), "{name:?}");
        }
    }
}
