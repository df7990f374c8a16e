//! [`EventMap`]: the variants of a map and the events they hold, once they are found to be in order.

use quote::ToTokens;
use syn::{Data, DeriveInput, Error, Fields, GenericArgument, Generics, Ident, Path, PathArguments, Type, Variant};

use crate::errors::Errors;
use crate::settings::{Settings, refuse_inside};

pub(crate) struct EventMap<'a> {
    pub(crate) krate: Path,
    pub(crate) ident: &'a Ident,
    pub(crate) generics: &'a Generics,
    pub(crate) entries: Vec<Entry<'a>>,
    pub(crate) is_stand_in: bool,
}

pub(crate) struct Entry<'a> {
    pub(crate) variant: &'a Ident,
    pub(crate) event: &'a Type,
}

impl<'a> EventMap<'a> {
    pub(crate) fn parse(input: &'a DeriveInput, errors: &mut Errors) -> Self {
        let krate = Settings::read(&input.attrs, &["crate"], errors).take_crate(errors);
        if !input.generics.params.is_empty() {
            errors.push(Error::new_spanned(
                &input.generics,
                "an event map is a closed set: remove the generics and name the types",
            ));
        }
        let entries = parse_entries(input, errors);
        Self { krate, ident: &input.ident, generics: &input.generics, entries, is_stand_in: false }
    }

    /// A map that asks nothing of its type, in place of one that was not in order.
    pub(crate) fn stand_in(self) -> Self {
        Self { entries: Vec::new(), is_stand_in: true, ..self }
    }
}

fn parse_entries<'a>(input: &'a DeriveInput, errors: &mut Errors) -> Vec<Entry<'a>> {
    let not_an_enum = match &input.data {
        Data::Enum(data) if data.variants.is_empty() => {
            errors.at(input.ident.span(), "an event map has at least one variant: add `SomeEvent(Arc<SomeEvent>)`");
            return Vec::new();
        }
        Data::Enum(data) => {
            let entries = data.variants.iter().map(|variant| {
                refuse_inside(&variant.attrs, errors);
                errors.keep(parse_entry(variant))
            });
            return entries.flatten().collect();
        }
        Data::Struct(data) => data.struct_token.span,
        Data::Union(data) => data.union_token.span,
    };
    errors.at(not_an_enum, "an event map is an enum: write one variant `SomeEvent(Arc<SomeEvent>)` for each event");
    Vec::new()
}

fn parse_entry(variant: &Variant) -> syn::Result<Entry<'_>> {
    let Variant { ident, fields, .. } = variant;
    let first = fields.iter().next().map(|field| &field.ty);
    match (fields, first) {
        (Fields::Unnamed(_), Some(ty)) if fields.len() == 1 => match in_pointer(ty, &["Arc"]) {
            Some(event) => Ok(Entry { variant: ident, event }),
            None => Err(Error::new_spanned(ty, how_to_write(ident, first))),
        },
        (Fields::Unit, _) => Err(Error::new(ident.span(), how_to_write(ident, first))),
        _ => Err(Error::new_spanned(fields, how_to_write(ident, first))),
    }
}

/// The `T` of a type that is spelled `..Arc<T>`, or with another of the pointers' names.
fn in_pointer<'a>(ty: &'a Type, pointers: &[&str]) -> Option<&'a Type> {
    let path = match ty {
        Type::Path(path) => &path.path,
        Type::Group(group) => return in_pointer(&group.elem, pointers),
        _ => return None,
    };
    let last = path.segments.last().filter(|segment| pointers.iter().any(|pointer| segment.ident == pointer))?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(event)) if arguments.args.len() == 1 => Some(event),
        _ => None,
    }
}

fn how_to_write(variant: &Ident, found: Option<&Type>) -> String {
    let event = found.map(|ty| in_pointer(ty, &["Arc", "Rc", "Box"]).unwrap_or(ty));
    let event = match event {
        Some(Type::Path(path)) => path.to_token_stream().to_string().replace(' ', ""),
        _ => variant.to_string(),
    };
    format!("a variant of an event map holds the `Arc` of one event: write `{variant}(Arc<{event}>)`")
}
