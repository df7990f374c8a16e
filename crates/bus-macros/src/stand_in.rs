//! What keeps one mistake from becoming several errors.
//!
//! A type that is not in order gets an implementation all the same, so that the places that use it stay quiet.

use proc_macro2::TokenStream;
use syn::{Generics, parse_quote};

/// Adds bounds on the type itself. The compiler looks at them where the type is used, and not yet at the
/// implementation, since they seem to depend on a lifetime.
pub(crate) fn add_unchecked(generics: &mut Generics, bounds: TokenStream) {
    generics.make_where_clause().predicates.push(parse_quote!(for<'__any> Self: #bounds));
}
