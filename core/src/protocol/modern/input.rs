//! Questions to the client in either era, and in the modern one the log of their answers that travels sealed in `requestState`.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ring::digest;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::model::params::is_object;
use crate::model::{ClientCapabilities, Method, Version};
use crate::schema::check::{Invalid, describe};
use crate::schema::compile::Validator;
use crate::wire::{raw, write};

/// What identifies a question when it is asked again.
pub type Digest = [u8; 16];

/// A question that a handler asks its client.
pub struct Question {
    pub method: Method,
    /// The protocol's own parameters of the method, as JSON text.
    pub params: Box<RawValue>,
    /// The key in `inputRequests`; handlers may name it, so that clients can answer beforehand.
    pub key: Option<Box<str>>,
    pub digest: Digest,
    /// The schema that an accepted form must match.
    schema: Option<Box<RawValue>>,
    is_url: bool,
    has_tools: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked<'a> {
    #[serde(borrow)]
    elicit: Option<&'a RawValue>,
    #[serde(borrow)]
    sample: Option<&'a RawValue>,
    #[serde(borrow)]
    roots: Option<&'a RawValue>,
    key: Option<Box<str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Members<'a> {
    #[serde(borrow)]
    requested_schema: Option<&'a RawValue>,
    #[serde(borrow)]
    mode: Option<&'a RawValue>,
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
}

impl Question {
    /// Reads what a language asks: `{"elicit": params}`, `{"sample": params}` or `{"roots": {}}`, with an optional `key`.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |error: serde_json::Error| Error::internal(format!("a question cannot be read: {error}"));
        let asked: Asked<'_> = serde_json::from_str(text).map_err(wrong)?;
        let (method, params) = match (asked.elicit, asked.sample, asked.roots) {
            (Some(params), None, None) => (Method::Elicit, params),
            (None, Some(params), None) => (Method::Sample, params),
            (None, None, Some(params)) => (Method::ListRoots, params),
            _ => return Err(Error::internal("a question is one of `elicit`, `sample`, `roots`")),
        };
        let members: Members<'_> = serde_json::from_str(params.get()).map_err(wrong)?;
        Ok(Self {
            method,
            digest: digest_of(method, params),
            schema: members.requested_schema.map(ToOwned::to_owned),
            is_url: is_url(members.mode),
            has_tools: members.tools.is_some(),
            params: match (method, members.mode) {
                // A form says that it is one where there are modes; where there are none, `params_for_back_channel` takes it out again.
                (Method::Elicit, None) => with_mode(params)?,
                _ => params.to_owned(),
            },
            key: asked.key,
        })
    }

    /// Whether the client can be asked this; the error carries what it would have to declare (`-32021`).
    pub fn check_capability(&self, client: ClientCapabilities) -> Result<()> {
        let (ok, required) = match self.method {
            Method::Elicit if self.is_url => (client.elicit_url, r#"{"elicitation":{"url":{}}}"#),
            Method::Elicit => (client.elicit_form, r#"{"elicitation":{}}"#),
            Method::Sample if self.has_tools => (client.sampling_tools, r#"{"sampling":{"tools":{}}}"#),
            Method::Sample => (client.sampling, r#"{"sampling":{}}"#),
            _ => (client.roots, r#"{"roots":{}}"#),
        };
        if ok {
            return Ok(());
        }
        let error =
            Error::new(ErrorKind::MissingCapability, format!("the client did not declare the capability {required}"));
        let data = format!("{{\"requiredCapabilities\":{required}}}");
        Err(match RawValue::from_string(data) {
            Ok(data) => error.with_data(data),
            Err(_) => error,
        })
    }

    /// Whether an answer has the shape that its method promises; a form that was accepted must match its schema (Y17).
    pub fn check_answer(&self, answer: &RawValue, limits: &Limits) -> Result<()> {
        check_answer(self.method, self.schema.as_deref(), answer, limits)
    }

    /// The parameters as a request of a legacy revision: URL mode has an id there, and before there were modes no `mode`.
    pub fn params_for_back_channel(&self, version: Version, id: impl FnOnce() -> String) -> Cow<'_, str> {
        if self.method != Method::Elicit {
            return Cow::Borrowed(self.params.get());
        }
        let mut out = Vec::with_capacity(self.params.get().len() + 64);
        out.push(b'{');
        if self.is_url && get(&self.params, "elicitationId").is_none() {
            out.extend_from_slice(b"\"elicitationId\":");
            write::string(&mut out, &id());
        }
        for (key, value) in raw::members(&self.params).into_iter().flatten() {
            if key == "mode" && !version.has_elicitation_modes() {
                continue;
            }
            if out.len() > 1 {
                out.push(b',');
            }
            write::string(&mut out, &key);
            out.push(b':');
            out.extend_from_slice(value.get().as_bytes());
        }
        out.push(b'}');
        String::from_utf8(out).map_or(Cow::Borrowed(self.params.get()), Cow::Owned)
    }

    /// Writes the request object that goes into `inputRequests`.
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"method\":");
        write::string(out, self.method.as_str());
        out.extend_from_slice(b",\"params\":");
        out.extend_from_slice(self.params.get().as_bytes());
        out.push(b'}');
    }
}

/// Whether the answer to `method` has the shape that the method promises; a form that was accepted must match `schema`, and one that
/// was not is not looked at (Y17).
///
/// # Errors
/// `InvalidParams` with what is wrong, `Definition` or `Limit` for a schema that cannot be used.
pub fn check_answer(method: Method, schema: Option<&RawValue>, answer: &RawValue, limits: &Limits) -> Result<()> {
    let wrong = |what: &str| Error::invalid_params(format!("the answer to `{}` {what}", method.as_str()));
    if !is_object(answer) {
        return Err(wrong("must be an object"));
    }
    match method {
        Method::Elicit => match get(answer, "action").map(RawValue::get) {
            Some("\"accept\"") => check_form(schema, answer, limits),
            Some("\"decline\"" | "\"cancel\"") => Ok(()),
            Some(other) => Err(wrong(&format!("has the unknown action {other}: expected accept, decline or cancel"))),
            None => Err(wrong("has no `action`")),
        },
        Method::Sample => match (get(answer, "role"), get(answer, "content")) {
            (Some(_), Some(_)) => Ok(()),
            _ => Err(wrong("must have `role` and `content`")),
        },
        _ => match get(answer, "roots").map(|roots| roots.get().starts_with('[')) {
            Some(true) => Ok(()),
            _ => Err(wrong("must have an array `roots`")),
        },
    }
}

fn check_form(schema: Option<&RawValue>, answer: &RawValue, limits: &Limits) -> Result<()> {
    let Some(schema) = schema else { return Ok(()) };
    let content = get(answer, "content").map_or("{}", RawValue::get);
    let validator = Validator::new(schema.get(), limits)?;
    validator.check(content).map_err(|invalid| match invalid {
        Invalid::Problems(problems) => Error::invalid_params(describe(&problems, "answer to the form")),
        Invalid::Unchecked(error) => error,
    })
}

fn with_mode(params: &RawValue) -> Result<Box<RawValue>> {
    let mut out = b"{\"mode\":\"form\"".to_vec();
    for (key, value) in raw::members(params)? {
        write::member(&mut out, &key, value.get().as_bytes());
    }
    write::close(&mut out);
    let wrong = |_| Error::internal("a question cannot be written");
    RawValue::from_string(String::from_utf8_lossy(&out).into_owned()).map_err(wrong)
}

fn get<'a>(raw: &'a RawValue, key: &str) -> Option<&'a RawValue> {
    raw::get(raw, key).ok().flatten()
}

/// Whether an elicitation of that `mode` sends the user to a URL; without a mode it shows a form.
pub fn is_url(mode: Option<&RawValue>) -> bool {
    mode.is_some_and(|mode| mode.get() == "\"url\"")
}

fn digest_of(method: Method, params: &RawValue) -> Digest {
    let mut context = digest::Context::new(&digest::SHA256);
    context.update(method.as_str().as_bytes());
    context.update(params.get().as_bytes());
    let mut short = Digest::default();
    short.copy_from_slice(&context.finish().as_ref()[..16]);
    short
}

/// What travels in `requestState`: the continuation, the answers so far, the questions that are open, the steps that ran.
#[derive(Default, Serialize, Deserialize)]
pub struct State {
    /// Names the parked handler, and the state itself where it may be used only once.
    #[serde(rename = "c")]
    pub continuation: Continuation,
    /// Answers, in the order of their questions.
    #[serde(rename = "l")]
    pub log: Vec<(Digest, Box<RawValue>)>,
    /// Questions without an answer, by key.
    #[serde(rename = "p")]
    pub pending: Vec<(Box<str>, Digest)>,
    /// Results of steps.
    #[serde(rename = "s")]
    pub steps: BTreeMap<Box<str>, Box<RawValue>>,
}

/// Names one round of one call.
pub type Continuation = [u8; 16];

/// The client's `inputResponses`, by key.
pub fn parse_responses(text: Option<&RawValue>) -> Result<BTreeMap<String, Box<RawValue>>> {
    let Some(text) = text else { return Ok(BTreeMap::new()) };
    let responses: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text.get())
        .map_err(|error| Error::invalid_params(format!("`inputResponses` must be an object of answers: {error}")))?;
    match responses.iter().find(|(_, answer)| !is_object(answer)) {
        Some((key, _)) => Err(Error::invalid_params(format!("`inputResponses` member `{key}` must be an object"))),
        None => Ok(responses),
    }
}

/// Writes the members of an `input_required` result.
pub fn write_required<'q>(out: &mut Vec<u8>, questions: impl Iterator<Item = (&'q str, &'q Question)>, state: &str) {
    out.extend_from_slice(b"\"resultType\":\"input_required\",\"inputRequests\":{");
    for (index, (key, question)) in questions.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write::string(out, key);
        out.push(b':');
        question.write(out);
    }
    out.extend_from_slice(b"},\"requestState\":");
    write::string(out, state);
}
