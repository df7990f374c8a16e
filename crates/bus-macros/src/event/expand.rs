//! The implementation of `Event` that the derive writes.
//!
//! It names nothing that the user's module could have under another meaning: all of it hangs from the path of oyez,
//! and its own names begin with two underscores.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Generics, WherePredicate, parse_quote};

use super::parse::{Event, Key};
use super::upcast;
use crate::stand_in::add_unchecked;

pub(crate) fn expand(event: &Event<'_>) -> TokenStream {
    let Event { krate, ident, name, .. } = event;
    let generics = bounded_generics(event);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();

    let checks = upcast::outer_checks(event);
    let version = version(event);
    let durable = event.durable.then(|| {
        quote!(
            const DURABLE: __std::primitive::bool = true;
        )
    });
    let json = if event.local { local_json() } else { json(event) };
    let key = key(event);
    let slot = slot(event);
    let boxed = boxed(event);

    quote! {
        #[allow(unused_qualifications)]
        const _: () = {
            use #krate as __oyez;
            use __oyez::__private::std as __std;

            #checks

            #[automatically_derived]
            impl #impl_generics __oyez::Event for #ident #ty_generics #where_clause {
                const NAME: &'static __std::primitive::str = #name;
                #version
                #durable
                #json
                #key
                #slot
            }

            #boxed
        };
    }
}

/// The type's own generics, and for a generic type what an event needs of whatever stands in for its parameters.
fn bounded_generics(event: &Event<'_>) -> Generics {
    let mut generics = event.generics.clone();
    if event.is_stand_in {
        add_unchecked(&mut generics, quote!(__std::marker::Send + __std::marker::Sync + 'static));
        return generics;
    }
    if generics.params.is_empty() {
        return generics;
    }
    let where_clause = generics.make_where_clause();
    let mut require = |predicate: WherePredicate| where_clause.predicates.push(predicate);
    require(parse_quote!(Self: __std::marker::Send + __std::marker::Sync + 'static));
    if !event.local {
        require(parse_quote!(Self: __oyez::__private::Json));
    }
    for older in &event.upcast {
        require(parse_quote!(#older: __oyez::Event));
        require(parse_quote!(Self: __oyez::__private::Upcast<#older>));
    }
    if let Some(Key { ty, .. }) = &event.key {
        require(parse_quote!(#ty: __oyez::__private::Key));
    }
    generics
}

fn version(event: &Event<'_>) -> Option<TokenStream> {
    let version = event.version;
    let checks = upcast::inner_checks(event);
    (version > 1).then(|| quote!(const VERSION: __std::primitive::u32 = { #checks #version };))
}

fn json(event: &Event<'_>) -> TokenStream {
    let ident = event.ident;
    let (_, ty_generics, _) = event.generics.split_for_impl();
    // One span for both methods, so that a type without serde is told so once.
    let json = quote_spanned!(ident.span()=> <#ident #ty_generics as __oyez::__private::Json>);
    let reads = upcast::reads(event);
    let decode_older = upcast::decode_older(event);
    quote! {
        fn encode(
            &self,
        ) -> __std::result::Result<
            __std::option::Option<__std::boxed::Box<__oyez::__private::RawValue>>,
            __oyez::__private::EncodeError,
        > {
            #json::to_json(self)
        }

        fn write(
            &self,
            __json: &mut __std::vec::Vec<__std::primitive::u8>,
        ) -> __std::result::Result<__std::primitive::bool, __oyez::__private::EncodeError> {
            #json::write_json(self, __json)
        }

        fn decode(
            __version: __std::primitive::u32,
            __json: &[__std::primitive::u8],
        ) -> __std::result::Result<Self, __oyez::__private::DecodeError> {
            if __version == <Self as __oyez::Event>::VERSION {
                return #json::from_json(__json);
            }
            #decode_older
            __std::result::Result::Err(__oyez::__private::DecodeError::new(
                __oyez::__private::DecodeErrorKind::UnknownVersion { version: __version },
            ))
        }

        #reads
    }
}

fn local_json() -> TokenStream {
    quote! {
        const LOCAL: __std::primitive::bool = true;

        fn encode(
            &self,
        ) -> __std::result::Result<
            __std::option::Option<__std::boxed::Box<__oyez::__private::RawValue>>,
            __oyez::__private::EncodeError,
        > {
            __std::result::Result::Ok(__std::option::Option::None)
        }

        fn decode(
            _: __std::primitive::u32,
            _: &[__std::primitive::u8],
        ) -> __std::result::Result<Self, __oyez::__private::DecodeError> {
            __std::result::Result::Err(__oyez::__private::DecodeError::new(
                __oyez::__private::DecodeErrorKind::Local,
            ))
        }
    }
}

fn key(event: &Event<'_>) -> Option<TokenStream> {
    let key = event.key.as_ref()?;
    let field = &key.field;
    let text = quote_spanned!(key.span=> __oyez::__private::Key::text(&self.#field));
    Some(quote! {
        fn key(&self) -> __std::option::Option<__std::string::String> {
            __std::option::Option::Some(#text)
        }
    })
}

/// A static of the type's own. A static cannot depend on type parameters, so generic types keep the trait's look-up.
fn slot(event: &Event<'_>) -> Option<TokenStream> {
    event.generics.params.is_empty().then(|| {
        quote! {
            fn slot() -> &'static __oyez::__private::TypeSlot {
                static SLOT: __oyez::__private::TypeSlot = __oyez::__private::TypeSlot::new();
                &SLOT
            }
        }
    })
}

fn boxed(event: &Event<'_>) -> Option<TokenStream> {
    let ident = event.ident;
    let registered = format!("{}@{}", event.name, event.version);
    // typetag's expansion looks for `typetag` where it stands.
    event.boxed.then(|| {
        quote! {
            use __oyez::__private::typetag;

            #[typetag::serde(name = #registered)]
            impl __oyez::DynEvent for #ident {}
        }
    })
}
