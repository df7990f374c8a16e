//! [`Setting`]: one entry of `#[event(..)]`, such as `durable` or `version = 2`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Ident, Lit, LitInt, LitStr, Path, Token, Type, bracketed};

pub(crate) struct Setting {
    pub(crate) key: Ident,
    /// What stands after the `=`; empty if there is none.
    value: TokenStream,
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Lit) {
            let literal: Lit = input.parse()?;
            let form = format!("a value needs its setting: write `name = {}`", literal.to_token_stream());
            return Err(Error::new(literal.span(), form));
        }
        let key = input.call(Ident::parse_any)?;
        let equals: Option<Token![=]> = input.parse()?;
        let value = skip_to_comma(input)?;
        if equals.is_some() == value.is_empty() {
            let span = if value.is_empty() { key.span() } else { value.span() };
            return Err(Error::new(span, how_to_write(&key)));
        }
        Ok(Self { key, value })
    }
}

impl Setting {
    pub(crate) fn span(&self) -> Span {
        self.key.span()
    }

    /// Refuses a value.
    pub(crate) fn flag(self) -> syn::Result<()> {
        if self.value.is_empty() { Ok(()) } else { Err(self.misused()) }
    }

    pub(crate) fn text(self) -> syn::Result<LitStr> {
        syn::parse2(self.value.clone()).map_err(|_| self.misused())
    }

    /// A whole number from 1 up.
    pub(crate) fn version(self) -> syn::Result<u32> {
        let number = syn::parse2::<LitInt>(self.value.clone()).and_then(|literal| literal.base10_parse());
        match number {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(Error::new(self.value.span(), "a version is a whole number from 1 to 4294967295")),
        }
    }

    pub(crate) fn types(self) -> syn::Result<Vec<Type>> {
        let list = |input: ParseStream<'_>| {
            let types;
            bracketed!(types in input);
            Punctuated::<Type, Token![,]>::parse_terminated(&types)
        };
        let types = list.parse2(self.value.clone()).map_err(|_| self.misused())?;
        Ok(types.into_iter().collect())
    }

    pub(crate) fn path(self) -> syn::Result<Path> {
        let literal = syn::parse2::<LitStr>(self.value.clone());
        literal.and_then(|literal| literal.parse_with(Path::parse_mod_style)).map_err(|_| self.misused())
    }

    fn misused(&self) -> Error {
        let span = if self.value.is_empty() { self.key.span() } else { self.value.span() };
        Error::new(span, how_to_write(&self.key))
    }
}

fn how_to_write(key: &Ident) -> String {
    let key = key.to_string();
    let form = match key.as_str() {
        "name" => "name = \"user.created\"",
        "version" => "version = 2",
        "upcast" => "upcast = [OlderVersion]",
        "key" => "key = \"field\"",
        "crate" => "crate = \"path::to::oyez\"",
        flag => return format!("write `{flag}` alone, without a value"),
    };
    format!("write `{form}`")
}

/// Takes everything up to the next comma, which ends a setting.
pub(crate) fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut skipped = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        skipped.append(input.parse::<TokenTree>()?);
    }
    Ok(skipped)
}
