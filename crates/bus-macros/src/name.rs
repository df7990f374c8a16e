//! The rules for event names (promise B9), checked while the user's program is compiled.

use syn::LitStr;

const MAX_BYTES: usize = 255;

/// The literal as it is, or an error at it that says which rule it breaks.
pub(crate) fn checked(literal: LitStr) -> syn::Result<LitStr> {
    match fault(&literal.value()) {
        None => Ok(literal),
        Some(fault) => Err(syn::Error::new(literal.span(), fault)),
    }
}

fn fault(name: &str) -> Option<String> {
    let forbidden = name.chars().find_map(forbidden);
    Some(match name {
        "" => "an event name cannot be empty: write what happened, as in `user.created`".into(),
        _ if name.len() > MAX_BYTES => {
            format!("an event name has at most {MAX_BYTES} bytes; this one has {}", name.len())
        }
        _ if forbidden.is_some() => return forbidden,
        _ if name.starts_with('.') => "an event name cannot start with an empty segment: remove the first `.`".into(),
        _ if name.ends_with('.') => "an event name cannot end with an empty segment: remove the last `.`".into(),
        _ if name.contains("..") => "an event name cannot have an empty segment: write one `.` for `..`".into(),
        _ => return None,
    })
}

fn forbidden(c: char) -> Option<String> {
    let why = match c {
        '*' => "it stands for other segments in a pattern",
        '>' => "it is a wildcard of message brokers",
        _ if c.is_whitespace() => "it is whitespace; put `.`, `_` or `-` between words",
        _ if c.is_control() => "it is a control character",
        _ => return None,
    };
    Some(format!("an event name cannot have the character {c:?}: {why}"))
}
