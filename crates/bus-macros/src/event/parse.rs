//! [`Event`]: what the derive knows about a type, once it is found to be in order.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Field, Fields, Generics, Ident, Index, LitStr, Member, Path, Type};

use crate::errors::Errors;
use crate::name;
use crate::setting::Setting;
use crate::settings::{Settings, refuse_inside};

const SETTINGS: &[&str] = &["name", "version", "upcast", "durable", "local", "key", "boxed", "crate"];

pub(crate) struct Event<'a> {
    pub(crate) krate: Path,
    pub(crate) ident: &'a Ident,
    pub(crate) generics: &'a Generics,
    pub(crate) name: String,
    pub(crate) version: u32,
    pub(crate) upcast: Vec<Type>,
    pub(crate) durable: bool,
    pub(crate) local: bool,
    pub(crate) boxed: bool,
    pub(crate) key: Option<Key<'a>>,
    pub(crate) is_stand_in: bool,
}

/// The field whose value is the event's key, and where the user named it.
pub(crate) struct Key<'a> {
    pub(crate) field: Member,
    pub(crate) ty: &'a Type,
    pub(crate) span: Span,
}

impl<'a> Event<'a> {
    pub(crate) fn parse(input: &'a DeriveInput, errors: &mut Errors) -> Self {
        let mut settings = Settings::read(&input.attrs, SETTINGS, errors);
        check_type(input, errors);

        let krate = settings.take_crate(errors);
        let name = parse_name(&mut settings, &input.ident, errors);
        let version = settings.take("version").map_or(Some(1), |setting| errors.keep(setting.version()));
        let durable = parse_flag(&mut settings, "durable", errors);
        let local = parse_flag(&mut settings, "local", errors);
        let boxed = parse_flag(&mut settings, "boxed", errors);
        let upcast = settings.take("upcast");
        let key = settings.take("key");

        if local.is_some() {
            let (upcast, key) = (upcast.as_ref().map(Setting::span), key.as_ref().map(Setting::span));
            refuse_beside_local([("durable", durable), ("boxed", boxed), ("upcast", upcast), ("key", key)], errors);
        } else {
            if let (Some(key), None) = (&key, durable) {
                errors.at(key.span(), "a `key` orders events in the log: add `durable`");
            }
            if let (Some(upcast), Some(1)) = (&upcast, version) {
                errors.at(upcast.span(), "the first version has no older ones: add `version = 2`, or remove `upcast`");
            }
        }
        if let (Some(boxed), false) = (boxed, input.generics.params.is_empty()) {
            errors.at(boxed, "`boxed` registers one type under one name, and a generic type is many: remove `boxed`");
        }

        Self {
            krate,
            ident: &input.ident,
            generics: &input.generics,
            name: name.map_or_else(String::new, |name| name.value()),
            version: version.unwrap_or(1),
            upcast: upcast.and_then(|setting| errors.keep(setting.types())).unwrap_or_default(),
            durable: durable.is_some(),
            local: local.is_some(),
            boxed: boxed.is_some(),
            key: key.and_then(|setting| errors.keep(parse_key(setting, &input.data))),
            is_stand_in: false,
        }
    }

    /// An event that asks nothing of its type, in place of one that was not in order.
    pub(crate) fn stand_in(self) -> Self {
        Self { upcast: Vec::new(), durable: false, local: true, boxed: false, key: None, is_stand_in: true, ..self }
    }
}

fn check_type(input: &DeriveInput, errors: &mut Errors) {
    if let Some(parameter) = input.generics.lifetimes().next() {
        let lifetime = &parameter.lifetime;
        errors.at(
            lifetime.span(),
            format!(
                "events must own their data: in place of what `{lifetime}` borrows, hold a `String`, `Vec` or `Arc`"
            ),
        );
    }
    match &input.data {
        Data::Struct(data) => refuse_on_fields(&data.fields, errors),
        Data::Enum(data) => {
            for variant in &data.variants {
                refuse_inside(&variant.attrs, errors);
                refuse_on_fields(&variant.fields, errors);
            }
        }
        Data::Union(data) => {
            errors.at(data.union_token.span, "an event is a struct or an enum: write one of these in place of `union`")
        }
    }
}

fn refuse_on_fields(fields: &Fields, errors: &mut Errors) {
    fields.iter().for_each(|field| refuse_inside(&field.attrs, errors));
}

fn parse_name(settings: &mut Settings, ident: &Ident, errors: &mut Errors) -> Option<LitStr> {
    match settings.take("name") {
        Some(setting) => errors.keep(setting.text().and_then(name::checked)),
        // A setting that could not be read may have been the name.
        None if !errors.is_empty() => None,
        None => {
            errors.at(ident.span(), "an event has a name: write `#[event(name = \"..\")]` above the type");
            None
        }
    }
}

fn parse_flag(settings: &mut Settings, key: &str, errors: &mut Errors) -> Option<Span> {
    let setting = settings.take(key)?;
    let span = setting.span();
    errors.keep(setting.flag()).map(|()| span)
}

fn refuse_beside_local(settings: [(&str, Option<Span>); 4], errors: &mut Errors) {
    for (key, given) in settings {
        if let Some(span) = given {
            errors
                .at(span, format!("a `local` event is neither stored nor written as JSON: remove `{key}` or `local`"));
        }
    }
}

fn parse_key(setting: Setting, data: &Data) -> syn::Result<Key<'_>> {
    let literal = setting.text()?;
    let Data::Struct(data) = data else {
        return Err(syn::Error::new(literal.span(), "a `key` names a field of a struct: remove it"));
    };
    let wanted = literal.value();
    let found = data.fields.members().zip(&data.fields).find(|(member, _)| spelling(member) == wanted);
    match found {
        Some((mut field, Field { ty, .. })) => {
            set_span(&mut field, literal.span());
            Ok(Key { field, ty, span: literal.span() })
        }
        None => Err(syn::Error::new(literal.span(), no_field(&wanted, &data.fields))),
    }
}

fn no_field(wanted: &str, fields: &Fields) -> String {
    let fields: Vec<String> = fields.members().map(|member| spelling(&member)).collect();
    match fields.as_slice() {
        [] => "a `key` names a field, and this type has none: remove it".to_owned(),
        fields => format!("there is no field `{wanted}`: write one of `{}`", fields.join("`, `")),
    }
}

fn set_span(member: &mut Member, span: Span) {
    match member {
        Member::Named(ident) => ident.set_span(span),
        Member::Unnamed(index) => index.span = span,
    }
}

/// A field's name as a user writes it in text: `type` for `r#type`, `0` for the first of a tuple.
fn spelling(member: &Member) -> String {
    match member {
        Member::Named(ident) => ident.unraw().to_string(),
        Member::Unnamed(Index { index, .. }) => index.to_string(),
    }
}
