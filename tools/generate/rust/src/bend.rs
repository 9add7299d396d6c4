//! Bends typify's structs to the shape users meet.

use std::collections::HashMap;

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use serde_json::{Map, Value};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Field, File, Item, ItemStruct, parse_quote};

use crate::Failure;

/// The structs of `file`, each with its constructor.
pub fn bend(file: File, models: &Map<String, Value>) -> Result<Vec<Item>, Failure> {
    let spelled = models.keys().map(|name| (name.to_lowercase(), name.as_str())).collect();
    let mut items = Vec::new();
    for item in file.items {
        // typify's conversions, builders of defaults and error type have no use here.
        let Item::Struct(mut item) = syn::parse2(respell(item.to_token_stream(), &spelled))? else { continue };
        let name = item.ident.to_string();
        let Some(model) = models.get(&name).filter(|model| model.get("properties").is_some()) else { continue };
        let members = item.fields.iter().map(|field| Member::of(field, model, models)).collect::<Vec<_>>();
        ShortPaths.visit_item_struct_mut(&mut item);
        for (field, member) in item.fields.iter_mut().zip(&members) {
            member.bend(field);
        }
        head(&mut item, model, members.iter().all(|member| member.kind != Kind::Required));
        let constructor = constructor(&item, &members);
        items.push(Item::Struct(item));
        items.extend(constructor);
    }
    Ok(items)
}

/// `text` as doc comment lines.
fn document(text: Option<&str>) -> Vec<Attribute> {
    let lines = text.unwrap_or_default().lines();
    lines
        .map(|line| if line.is_empty() { String::new() } else { format!(" {line}") })
        .map(|line| parse_quote!(#[doc = #line]))
        .collect()
}

/// Undoes typify's spelling of names (`JsonrpcRequest` is `JSONRPCRequest` in the specification).
fn respell(tokens: TokenStream, spelled: &HashMap<String, &str>) -> TokenStream {
    let one = |tree| match tree {
        TokenTree::Group(group) => Group::new(group.delimiter(), respell(group.stream(), spelled)).into(),
        TokenTree::Ident(ident) => match built_in(&ident).or(spelled.get(&ident.to_string().to_lowercase()).copied()) {
            Some(name) if ident.to_string().starts_with(char::is_uppercase) => {
                Ident::new(name, Span::call_site()).into()
            }
            _ => TokenTree::Ident(ident),
        },
        other => other,
    };
    tokens.into_iter().map(one).collect()
}

fn built_in(ident: &Ident) -> Option<&'static str> {
    crate::BUILT_IN.into_iter().find(|name| ident.to_string().eq_ignore_ascii_case(name))
}

/// `::std::option::Option` reads `Option`.
struct ShortPaths;

impl VisitMut for ShortPaths {
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        visit_mut::visit_path_mut(self, path);
        if path.leading_colon.take().is_some()
            && let Some(last) = path.segments.pop()
        {
            path.segments = [last.into_value()].into_iter().collect();
        }
    }
}

#[derive(PartialEq)]
enum Kind {
    Required,
    /// Read as a default when absent, yet always written: strict peers ask for it.
    Written,
    Optional,
}

struct Member {
    name: String,
    about: Option<String>,
    kind: Kind,
    default: Option<Value>,
    /// Any JSON, so `null` is a value and not absence.
    any: bool,
    number: bool,
    /// `new` takes whatever converts into it.
    converts: bool,
}

impl Member {
    fn of(field: &Field, model: &Value, models: &Map<String, Value>) -> Self {
        let name = wire_name(field);
        let schema = &model["properties"][&name];
        let default = model["x-written"].get(&name).cloned();
        let target = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
        let required = model["required"].as_array().is_some_and(|names| names.iter().any(|other| *other == *name));
        let kind = match target {
            Some("JSONRPCVersion") if required => Kind::Written,
            _ if default.is_some() => Kind::Written,
            _ if required => Kind::Required,
            _ => Kind::Optional,
        };
        let open = target
            .and_then(|target| models.get(target))
            .is_some_and(|model| model.get("properties").is_none() && model.get("type") != Some(&"object".into()));
        Self {
            about: schema["description"].as_str().map(str::to_owned),
            kind,
            default,
            number: schema["type"] == "number",
            any: schema.get("type").is_none() && target.is_none(),
            converts: schema["type"] == "string" || open || matches!(target, Some("RequestId" | "ProgressToken")),
            name,
        }
    }

    fn bend(&self, field: &mut Field) {
        let mut serde = Vec::new();
        if field.ident.as_ref().is_some_and(|ident| *ident != self.name) {
            let name = &self.name;
            serde.push(quote!(rename = #name));
        }
        if self.number {
            serde.push(quote!(serialize_with = "value::number"));
        }
        match (&self.kind, &self.default) {
            (Kind::Required, _) => {}
            (Kind::Written, Some(Value::Object(_))) => serde.push(quote!(default = "value::object_schema")),
            (Kind::Written, _) => serde.push(quote!(default)),
            (Kind::Optional, _) => {
                if self.any {
                    serde.push(quote!(default, deserialize_with = "value::present"));
                }
                serde.push(quote!(skip_serializing_if = "Option::is_none"));
                let kind = &field.ty;
                if !kind.to_token_stream().to_string().starts_with("Option") {
                    // An empty list is not an absent one.
                    field.ty = parse_quote!(Option<#kind>);
                }
            }
        }
        field.attrs = document(self.about.as_deref());
        if !serde.is_empty() {
            field.attrs.push(parse_quote!(#[serde(#(#serde),*)]));
        }
    }
}

/// The member name typify put into the serde attribute, else the field's own.
fn wire_name(field: &Field) -> String {
    let mut name = field.ident.as_ref().map(Ident::to_string).unwrap_or_default();
    for attr in field.attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
        let _ = attr.parse_nested_meta(|meta| {
            let value = meta.value().and_then(|value| value.parse::<syn::LitStr>());
            if let (true, Ok(value)) = (meta.path.is_ident("rename"), value) {
                name = value.value();
            }
            Ok(())
        });
    }
    name
}

fn head(item: &mut ItemStruct, model: &Value, defaults: bool) {
    item.attrs = document(model["description"].as_str());
    let default = defaults.then(|| quote!(Default,));
    item.attrs.push(parse_quote!(#[derive(Clone, Debug, #default PartialEq, Deserialize, Serialize)]));
    // The next revision adds members; that must not break who builds or matches these.
    item.attrs.push(parse_quote!(#[non_exhaustive]));
    let tag = &model["x-tag"];
    if let (Some(member), Some(value)) = (tag["member"].as_str(), tag["value"].as_str()) {
        item.attrs.push(parse_quote!(#[serde(tag = #member, rename = #value)]));
    }
}

/// `new` with the members every instance has; none when all are optional (`Default` does).
fn constructor(item: &ItemStruct, members: &[Member]) -> Option<Item> {
    let (name, mut parameters, mut values) = (&item.ident, Vec::new(), Vec::new());
    for (field, member) in item.fields.iter().zip(members) {
        let (ident, kind) = (&field.ident, &field.ty);
        if member.kind == Kind::Optional || (member.kind == Kind::Written && member.default.is_none()) {
            values.push(quote!(#ident: Default::default()));
        } else if member.converts {
            parameters.push(quote!(#ident: impl Into<#kind>));
            values.push(quote!(#ident: #ident.into()));
        } else {
            parameters.push(quote!(#ident: #kind));
            values.push(quote!(#ident));
        }
    }
    let about = format!(" A `{name}` with its required members; the others are absent.");
    (!parameters.is_empty()).then(|| {
        parse_quote! {
            impl #name {
                #[doc = #about]
                pub fn new(#(#parameters),*) -> Self {
                    Self { #(#values),* }
                }
            }
        }
    })
}
