//! The implementation of `EventMap` that the derive writes. Its names are chosen as those of the `Event` derive.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::parse::{Entry, EventMap};
use crate::stand_in::add_unchecked;

pub(crate) fn expand(map: &EventMap<'_>) -> TokenStream {
    let EventMap { krate, ident, entries, .. } = map;
    let mut generics = map.generics.clone();
    if map.is_stand_in {
        add_unchecked(&mut generics, quote!(__std::marker::Send + 'static));
    }
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();

    let checks = entries.iter().enumerate().skip(1).map(|(index, entry)| name_check(map, index, entry));
    let names = entries.iter().map(|Entry { event, .. }| quote!(<#event as __oyez::Event>::NAME));
    let decode = entries.iter().map(decode);
    let visit = entries
        .iter()
        .map(|Entry { variant, event }| quote!(<#event as __oyez::Event>::visit_map(__visitor, Self::#variant);));

    quote! {
        #[allow(unused_qualifications)]
        const _: () = {
            use #krate as __oyez;
            use __oyez::__private::std as __std;

            #(#checks)*

            #[automatically_derived]
            impl #impl_generics __oyez::EventMap for #ident #ty_generics #where_clause {
                const NAMES: &'static [&'static __std::primitive::str] = &[#(#names),*];

                fn decode(
                    __name: &__std::primitive::str,
                    __version: __std::primitive::u32,
                    __json: &[__std::primitive::u8],
                ) -> __std::result::Result<Self, __oyez::__private::DecodeError> {
                    #(#decode)*
                    __std::result::Result::Err(__oyez::__private::DecodeError::new(
                        __oyez::__private::DecodeErrorKind::UnknownName,
                    ))
                }

                fn visit<__V: __oyez::__private::MapVisitor<Self>>(__visitor: &mut __V) {
                    #(#visit)*
                }
            }
        };
    }
}

/// The check that no variant before this one holds an event of the same name.
fn name_check(map: &EventMap<'_>, index: usize, entry: &Entry<'_>) -> TokenStream {
    let ident = map.ident;
    let message = format!("an earlier variant of `{ident}` holds an event of the same name: keep one of the two");
    quote_spanned! {entry.variant.span()=>
        const _: () = __std::assert!(
            __oyez::__private::is_new_name(<#ident as __oyez::EventMap>::NAMES, #index),
            #message,
        );
    }
}

fn decode(entry: &Entry<'_>) -> TokenStream {
    let Entry { variant, event } = entry;
    quote! {
        if __name == <#event as __oyez::Event>::NAME {
            return <#event as __oyez::Event>::decode(__version, __json)
                .map(|__event| Self::#variant(__std::sync::Arc::new(__event)));
        }
    }
}
