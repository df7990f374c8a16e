//! What the older types of `upcast = [..]` add to the implementation (promise B19).

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::parse::Event;

/// The checks that each older type is an earlier version of the same event, beside the implementation.
pub(super) fn outer_checks(event: &Event<'_>) -> Option<TokenStream> {
    let checks = checks(event);
    event.generics.params.is_empty().then(|| quote!(#(const _: () = #checks;)*))
}

/// The same checks for a generic type. They stand in an associated constant, which may name the type's parameters.
pub(super) fn inner_checks(event: &Event<'_>) -> Option<TokenStream> {
    let checks = checks(event);
    (!event.generics.params.is_empty()).then(|| quote!(#(#checks;)*))
}

fn checks(event: &Event<'_>) -> impl Iterator<Item = TokenStream> {
    let Event { name, version, .. } = event;
    event.upcast.iter().map(move |older| {
        let span = older.span();
        let name_message = format!("`upcast` lists earlier versions of one event, but this type is not named `{name}`");
        let version_message =
            format!("`upcast` lists earlier versions of one event, but this type's version is not below {version}");
        let local_message = "`upcast` lists types that are read from JSON, but this type is `local`";
        let event = quote_spanned!(span=> <#older as __oyez::Event>);
        quote_spanned! {span=> {
            __std::assert!(__oyez::__private::same_name(#event::NAME, #name), #name_message);
            __std::assert!(#event::VERSION < #version, #version_message);
            __std::assert!(!#event::LOCAL, #local_message);
        }}
    })
}

pub(super) fn reads(event: &Event<'_>) -> Option<TokenStream> {
    let older = &event.upcast;
    (!older.is_empty()).then(|| {
        quote! {
            fn reads(__version: __std::primitive::u32) -> __std::primitive::bool {
                __version == <Self as __oyez::Event>::VERSION #(|| <#older as __oyez::Event>::reads(__version))*
            }
        }
    })
}

pub(super) fn decode_older(event: &Event<'_>) -> TokenStream {
    event
        .upcast
        .iter()
        .map(|older| {
            let upcast = quote_spanned!(older.span()=> <Self as __oyez::__private::Upcast<#older>>::upcast);
            quote! {
                if <#older as __oyez::Event>::reads(__version) {
                    return <#older as __oyez::Event>::decode(__version, __json).map(|__older| #upcast(__older));
                }
            }
        })
        .collect()
}
