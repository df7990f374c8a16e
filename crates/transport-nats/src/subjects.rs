//! [`Subjects`]: under which subjects the nodes of one prefix speak (promise T10).

use async_nats::Subject;

use crate::percent;

/// Most bytes of a prefix: three times as many, and a name's, fit into a line of the protocol (4096 bytes).
const LONGEST_PREFIX: usize = 255;

/// The subjects of one prefix: `<prefix>.<name>` for events, where the prefix is one token, the dots of the name separate
/// tokens, and what a subject cannot carry is percent-encoded.
///
/// Subjects of hellos are `<prefix>.%hello.<nonce>`: no name is encoded to `%h`, so none collides with them.
#[derive(Debug)]
pub(crate) struct Subjects {
    prefix: String,
    /// The encoded prefix and a dot.
    root: String,
    hellos: String,
}

/// A text is no prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PrefixError {
    #[error("the prefix is empty")]
    Empty,
    #[error("the prefix has {len} bytes, more than {LONGEST_PREFIX}")]
    TooLong { len: usize },
}

impl Subjects {
    pub(crate) fn new(prefix: &str) -> Result<Self, PrefixError> {
        match prefix.len() {
            0 => return Err(PrefixError::Empty),
            len if len > LONGEST_PREFIX => return Err(PrefixError::TooLong { len }),
            _ => {}
        }
        let mut root = String::new();
        // Subjects that begin with a dollar sign are the server's own.
        percent::encode(&mut root, prefix, |c| fits(c) && c != '$');
        root.push('.');
        Ok(Self { prefix: prefix.to_owned(), hellos: format!("{root}%hello."), root })
    }

    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The subject of the events called `name`.
    pub(crate) fn of(&self, name: &str) -> Subject {
        let mut subject = String::with_capacity(self.root.len() + name.len());
        subject.push_str(&self.root);
        encode_name(&mut subject, name);
        Subject::from(subject)
    }

    /// All subjects of the prefix.
    pub(crate) fn all(&self) -> Subject {
        Subject::from(format!("{}>", self.root))
    }

    /// A hello that nobody else says.
    pub(crate) fn hello(&self) -> Subject {
        Subject::from(format!("{}{:032x}", self.hellos, fastrand::u128(..)))
    }

    pub(crate) fn is_hello(&self, subject: &str) -> bool {
        subject.starts_with(&self.hellos)
    }
}

/// No legal name has an empty segment; one would be a lone `%`, which is no encoding of anything else.
fn encode_name(subject: &mut String, name: &str) {
    for (index, segment) in name.split('.').enumerate() {
        if index > 0 {
            subject.push('.');
        }
        if segment.is_empty() {
            subject.push('%');
        }
        percent::encode(subject, segment, fits);
    }
}

/// Whether the server and the client carry `c` in a token and give it no meaning. The client splits lines at all of
/// Unicode's white space.
fn fits(c: char) -> bool {
    !(c.is_whitespace() || c.is_control() || matches!(c, '.' | '*' | '>' | '%'))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn encoded(name: &str) -> String {
        let mut subject = String::new();
        encode_name(&mut subject, name);
        subject
    }

    fn decoded(subject: &str) -> Option<String> {
        let segment = |token| if token == "%" { Some(String::new()) } else { percent::decode(token) };
        let segments: Option<Vec<_>> = subject.split('.').map(segment).collect();
        Some(segments?.join("."))
    }

    #[test]
    fn t10_names_keep_their_dots_and_what_is_legal() {
        for name in ["order.paid", "billing:eu", "événement.créé", "a/b", "price[eu]", "🦀.$x", "-_=+'\"\\"] {
            assert_eq!(encoded(name), name);
        }
        assert_eq!(encoded("100%.a b"), "100%25.a%20b");
        assert_eq!(encoded("a\u{2003}b\u{85}"), "a%E2%80%83b%C2%85");
    }

    #[test]
    fn c22_no_name_becomes_an_illegal_subject() {
        let cases = [
            ("", "%"),
            (".x", "%.x"),
            ("x.", "x.%"),
            ("billing..eu", "billing.%.eu"),
            ("test.one two", "test.one%20two"),
            ("a.*", "a.%2A"),
            ("a.>", "a.%3E"),
            ("x\r\nPUB y 0\r\n", "x%0D%0APUB%20y%200%0D%0A"),
            ("\t", "%09"),
            ("\0\u{7f}", "%00%7F"),
        ];
        for (name, subject) in cases {
            assert_eq!(encoded(name), subject, "{name:?}");
        }
    }

    /// All texts of up to five of the characters that matter.
    fn all_texts() -> Vec<String> {
        let mut texts = vec![String::new()];
        let mut longest = texts.clone();
        for _ in 0..5 {
            longest = longest.iter().flat_map(|text| ".% 2Eh*".chars().map(move |c| format!("{text}{c}"))).collect();
            texts.extend(longest.iter().cloned());
        }
        texts
    }

    #[test]
    fn t10_every_name_comes_back_and_no_two_share_a_subject() {
        let mut seen = HashSet::new();
        for name in all_texts() {
            let subject = encoded(&name);
            assert!(!subject.split('.').any(|token| token.is_empty() || token.contains([' ', '*'])), "{subject}");
            assert_eq!(decoded(&subject).as_ref(), Some(&name));
            assert!(!subject.contains("%h"), "{subject}");
            assert!(seen.insert(subject), "{name:?}");
        }
    }

    #[test]
    fn t10_every_character_comes_back() {
        for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let name = format!("a{c}b");
            let subject = encoded(&name);
            assert_eq!(decoded(&subject).as_ref(), Some(&name));
            assert!(subject.split_whitespace().eq([subject.as_str()]), "{c:?}");
        }
    }

    #[test]
    fn t10_a_prefix_is_one_token() {
        let mut seen = HashSet::new();
        for prefix in all_texts().iter().filter(|text| !text.is_empty()) {
            let subjects = Subjects::new(prefix).unwrap();
            assert_eq!(subjects.root.find('.'), Some(subjects.root.len() - 1), "{prefix:?}");
            assert!(seen.insert(subjects.root), "{prefix:?}");
        }
        let subject = |prefix| Subjects::new(prefix).unwrap().of("a.b").to_string();
        assert_eq!(subject("shop:eu"), "shop:eu.a.b");
        assert_eq!(subject("shop.eu"), "shop%2Eeu.a.b");
        assert_eq!(subject(">"), "%3E.a.b");
        assert_eq!(subject("$SYS"), "%24SYS.a.b");
    }

    #[test]
    fn a_prefix_has_its_limits() {
        assert_eq!(Subjects::new("").unwrap_err(), PrefixError::Empty);
        assert_eq!(Subjects::new(&"x".repeat(256)).unwrap_err(), PrefixError::TooLong { len: 256 });
        assert!(Subjects::new(&"x".repeat(255)).is_ok());
    }

    #[test]
    fn hellos_are_told_from_events() {
        let subjects = Subjects::new("app").unwrap();
        assert!(subjects.is_hello(&subjects.hello()));
        assert_ne!(subjects.hello(), subjects.hello());
        assert!(!subjects.is_hello(&subjects.of("%hello.1")));
        assert!(!Subjects::new("other").unwrap().is_hello(&subjects.hello()));
    }
}
