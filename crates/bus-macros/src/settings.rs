//! [`Settings`]: what stands in the `#[event(..)]` above a type, each setting known and given once.

use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Meta, Path, Token, parse_quote};

use crate::errors::Errors;
use crate::setting::{Setting, skip_to_comma};

pub(crate) struct Settings(Vec<Setting>);

impl Settings {
    /// Reads every `#[event(..)]` among the attributes of a type. `known` are the settings the derive has.
    pub(crate) fn read(attributes: &[Attribute], known: &[&str], errors: &mut Errors) -> Self {
        let mut settings = Vec::new();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("event")) {
            match &attribute.meta {
                Meta::List(meta) => {
                    let list = |input: ParseStream<'_>| read_list(input, &mut settings, errors);
                    let read = list.parse2(meta.tokens.clone());
                    errors.keep(read);
                }
                meta => {
                    errors.push(syn::Error::new_spanned(meta, "settings stand in parentheses: write `#[event(..)]`"))
                }
            }
        }
        Self(accept(settings, known, errors))
    }

    pub(crate) fn take(&mut self, key: &str) -> Option<Setting> {
        let index = self.0.iter().position(|setting| setting.key == key)?;
        Some(self.0.swap_remove(index))
    }

    /// The path under which the user's crate knows oyez.
    pub(crate) fn take_crate(&mut self, errors: &mut Errors) -> Path {
        let given = self.take("crate").and_then(|setting| errors.keep(setting.path()));
        given.unwrap_or_else(|| parse_quote!(::oyez))
    }
}

/// Refuses `#[event(..)]` on a field or a variant, where the derive would not see it.
pub(crate) fn refuse_inside(attributes: &[Attribute], errors: &mut Errors) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("event")) {
        errors.push(syn::Error::new_spanned(attribute, "`#[event(..)]` belongs above the type: move it there"));
    }
}

fn read_list(input: ParseStream<'_>, settings: &mut Vec<Setting>, errors: &mut Errors) -> syn::Result<()> {
    while !input.is_empty() {
        match input.parse() {
            Ok(setting) => settings.push(setting),
            Err(error) => {
                errors.push(error);
                skip_to_comma(input)?;
            }
        }
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(())
}

fn accept(settings: Vec<Setting>, known: &[&str], errors: &mut Errors) -> Vec<Setting> {
    let mut accepted: Vec<Setting> = Vec::new();
    for setting in settings {
        let key = setting.key.to_string();
        if !known.contains(&key.as_str()) {
            errors.at(setting.key.span(), unknown(&key, known));
        } else if accepted.iter().any(|earlier| earlier.key == setting.key) {
            errors.at(setting.key.span(), format!("`{key}` is given twice: keep one"));
        } else {
            accepted.push(setting);
        }
    }
    accepted
}

fn unknown(key: &str, known: &[&str]) -> String {
    let nearest = known.iter().min_by_key(|candidate| distance(key, candidate));
    match nearest {
        Some(nearest) if distance(key, nearest) * 2 <= nearest.len() => {
            format!("unknown setting `{key}`: did you mean `{nearest}`?")
        }
        _ if known.len() == 1 => format!("unknown setting `{key}`: there is only `{}`", known[0]),
        _ => format!("unknown setting `{key}`: there are `{}`", known.join("`, `")),
    }
}

/// How many letters must be put in, taken out or replaced to get from one word to the other (Levenshtein 1966).
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in to.chars().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.chars().count()]
}
