//! What a client said it can do. Known members become bits, the text stays for whoever wants to see it.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/schema#clientcapabilities>.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::params::is_object;
use super::version::Version;
use crate::error::{Error, Result};

/// The capabilities of a client, as far as a server acts on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientCapabilities {
    pub roots: bool,
    pub sampling: bool,
    pub sampling_tools: bool,
    pub elicit_form: bool,
    pub elicit_url: bool,
}

#[derive(Default, Deserialize)]
struct Members<'a> {
    #[serde(borrow)]
    roots: Option<&'a RawValue>,
    #[serde(borrow)]
    sampling: Option<&'a RawValue>,
    #[serde(borrow)]
    elicitation: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Inner<'a> {
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
    #[serde(borrow)]
    form: Option<&'a RawValue>,
    #[serde(borrow)]
    url: Option<&'a RawValue>,
}

impl ClientCapabilities {
    /// Reads a capabilities object. Unknown members and unknown shapes are no error (W16); something that is no object is.
    pub fn parse(raw: &RawValue) -> Result<Self> {
        if !is_object(raw) {
            return Err(Error::invalid_params("client capabilities must be an object"));
        }
        if raw.get().len() <= 2 {
            return Ok(Self::default());
        }
        let members: Members<'_> = serde_json::from_str(raw.get())
            .map_err(|error| Error::invalid_params(format!("client capabilities cannot be read: {error}")))?;
        let inner = |raw: Option<&RawValue>| -> Inner<'static> {
            let Some(raw) = raw else { return Inner::default() };
            // Only presence matters, so the borrowed values are replaced by static ones.
            let parsed: Inner<'_> = serde_json::from_str(raw.get()).unwrap_or_default();
            let mark = |raw: Option<&RawValue>| raw.map(|_| RawValue::TRUE);
            Inner { tools: mark(parsed.tools), form: mark(parsed.form), url: mark(parsed.url) }
        };
        let sampling = inner(members.sampling);
        let elicitation = inner(members.elicitation);
        Ok(Self {
            roots: members.roots.is_some(),
            sampling: members.sampling.is_some(),
            sampling_tools: sampling.tools.is_some(),
            // An empty object means forms, as before there were modes (Y17).
            elicit_form: members.elicitation.is_some() && (elicitation.form.is_some() || elicitation.url.is_none()),
            elicit_url: elicitation.url.is_some(),
        })
    }

    /// The same, without what the client's revision does not know.
    pub fn limited_to(self, version: Version) -> Self {
        Self {
            elicit_form: self.elicit_form && version.has_elicitation(),
            elicit_url: self.elicit_url && version.has_elicitation_modes(),
            sampling_tools: self.sampling_tools && version.has_sampling_tools(),
            ..self
        }
    }
}
