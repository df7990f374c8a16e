//! `#[derive(EventMap)]`.

mod expand;
mod parse;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use self::parse::EventMap;
use crate::errors::Errors;

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let map = EventMap::parse(input, &mut errors);
    match errors.into_error() {
        None => expand::expand(&map),
        Some(error) => {
            let mut tokens = error.into_compile_error();
            tokens.extend(expand::expand(&map.stand_in()));
            tokens
        }
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn b18_a_map_reaches_oyez_by_the_given_path_alone() {
        let tokens = derive(&parse_quote! {
            #[event(crate = "platform::bus")]
            enum Map {
                A(Arc<A>),
                B(Arc<B>),
            }
        });
        let text = tokens.to_string();
        assert!(text.contains("use platform :: bus as __oyez ;"), "{text}");
        assert!(!text.replace("__oyez", "").contains("oyez"), "{text}");
    }
}
