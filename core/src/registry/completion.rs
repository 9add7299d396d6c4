//! Who completes which argument of which prompt or template.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion>.

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Slot;
use crate::error::{Error, Result};
use crate::model::params;
use crate::wire::write;

/// What an argument belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    Prompt(Box<str>),
    /// A template's text, or the URI of a resource.
    Template(Box<str>),
}

#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    uri: Option<&'a RawValue>,
}

impl Reference {
    /// Reads `params.ref` (Y23: unknown members such as `title` are no error).
    pub fn parse(raw: Option<&RawValue>) -> Result<Self> {
        let raw = raw.ok_or_else(|| Error::invalid_params("`ref` is missing"))?;
        let members: Members<'_> =
            serde_json::from_str(raw.get()).map_err(|error| Error::invalid_params(format!("`ref`: {error}")))?;
        let kind = params::required(members.kind, "ref.type")?;
        match &*kind {
            "ref/prompt" => Ok(Self::Prompt(params::required(members.name, "ref.name")?.into())),
            "ref/resource" => Ok(Self::Template(params::required(members.uri, "ref.uri")?.into())),
            other => Err(Error::invalid_params(format!(
                "`ref.type` must be \"ref/prompt\" or \"ref/resource\", got \"{}\"",
                other.escape_debug()
            ))),
        }
    }

    /// The parameters of `completion/complete`: what `argument` may become when `value` is typed so far, and `given`, an object of the
    /// arguments that are known already.
    pub fn params(&self, argument: &str, value: &str, given: Option<&RawValue>) -> String {
        let (kind, member, name) = match self {
            Self::Prompt(name) => ("ref/prompt", "name", name),
            Self::Template(uri) => ("ref/resource", "uri", uri),
        };
        let mut out = b"{\"ref\":{".to_vec();
        write::member_string(&mut out, "type", kind);
        write::member_string(&mut out, member, name);
        write::close(&mut out);
        write::key(&mut out, "argument");
        out.push(b'{');
        write::member_string(&mut out, "name", argument);
        write::member_string(&mut out, "value", value);
        write::close(&mut out);
        if let Some(given) = given {
            write::key(&mut out, "context");
            out.push(b'{');
            write::member(&mut out, "arguments", given.get().as_bytes());
            write::close(&mut out);
        }
        write::close(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// The completion handlers of a server.
#[derive(Clone, Default)]
pub struct Completions {
    slots: FxHashMap<Reference, Vec<(Box<str>, Slot)>>,
}

impl Completions {
    /// Sets who completes an argument.
    pub fn put(&mut self, reference: Reference, argument: &str, slot: Slot) {
        let slots = self.slots.entry(reference).or_default();
        slots.retain(|(name, _)| &**name != argument);
        slots.push((argument.into(), slot));
    }

    /// Who completes an argument, if anyone does.
    pub fn get(&self, reference: &Reference, argument: &str) -> Option<Slot> {
        let slots = self.slots.get(reference)?;
        slots.iter().find(|(name, _)| &**name == argument).map(|(_, slot)| *slot)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}
