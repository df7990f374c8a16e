//! Percent-encoding (RFC 3986, section 2.1): what a subject or a URL cannot carry, as `%` and two digits.

use std::fmt::Write;

/// Adds `text` to `out`, and writes each character that does not `fit` as the bytes of its UTF-8.
pub(crate) fn encode(out: &mut String, text: &str, fit: impl Fn(char) -> bool) {
    for c in text.chars() {
        if fit(c) {
            out.push(c);
        } else {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                // Writing to a `String` does not fail.
                _ = write!(out, "%{byte:02X}");
            }
        }
    }
}

/// What was encoded. `None` if the text is no encoding of any UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter();
    while let Some(&byte) = rest.next() {
        bytes.push(if byte == b'%' { digit(rest.next())? << 4 | digit(rest.next())? } else { byte });
    }
    String::from_utf8(bytes).ok()
}

fn digit(byte: Option<&u8>) -> Option<u8> {
    let value = char::from(*byte?).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_comes_back() {
        for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            for encoded in [true, false] {
                let mut text = String::new();
                encode(&mut text, &format!("a{c}"), |c| c != '%' && !encoded);
                assert_eq!(decode(&text), Some(format!("a{c}")), "{c:?}");
            }
        }
    }

    #[test]
    fn what_is_no_encoding_is_refused() {
        for text in ["%", "%4", "%4g", "a%é", "%FF"] {
            assert_eq!(decode(text), None, "{text}");
        }
        assert_eq!(decode("p%40ss"), Some("p@ss".to_owned()));
        assert_eq!(decode("%c3%A9"), Some("é".to_owned()));
    }
}
