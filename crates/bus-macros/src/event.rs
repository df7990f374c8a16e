//! `#[derive(Event)]`.

mod expand;
mod parse;
mod upcast;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use self::parse::Event;
use crate::errors::Errors;

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let event = Event::parse(input, &mut errors);
    match errors.into_error() {
        None => expand::expand(&event),
        Some(error) => {
            let mut tokens = error.into_compile_error();
            tokens.extend(expand::expand(&event.stand_in()));
            tokens
        }
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn b18_oyez_is_reached_by_the_given_path_alone() {
        let tokens = derive(&parse_quote! {
            #[event(name = "a", version = 2, upcast = [Older], durable, key = "id", boxed, crate = "platform::bus")]
            struct A {
                id: u8,
            }
        });
        let text = tokens.to_string();
        assert!(text.contains("use platform :: bus as __oyez ;"), "{text}");
        assert!(!text.replace("__oyez", "").contains("oyez"), "{text}");
    }
}
