//! Questions of a handler to its client. In the legacy era they are requests on the back channel; in the modern one the request is
//! answered with what is needed and the handler waits, parked, for the retry that brings it. Where the handler is gone by then
//! (another replica, a restart, the parking limit), it runs again and finds the earlier answers in its sealed state.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::attach;
use super::context::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::types;

/// What the user did with a form or a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    /// Filled it in, or agreed to open the link.
    Accept(T),
    /// Said no.
    Decline,
    /// Went away without a choice.
    Cancel,
}

impl<T> Elicited<T> {
    /// What was filled in, if anything was.
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accept(value) => Some(value),
            Self::Decline | Self::Cancel => None,
        }
    }
}

/// Questions asked in one go (`tokio::join!`) go out together.
impl Context {
    /// A context whose question bears a name, so that a modern client that knows it can answer before it is asked:
    /// `cx.named("user_name").elicit(..)`. Without, and when a name is used again, questions are numbered.
    pub fn named(&self, key: &str) -> Self {
        Self { key: Some(key.into()), ..self.clone() }
    }

    /// Asks the user for the members of `T`: text, numbers, booleans and choices, each of which may be an `Option`.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation>.
    ///
    /// # Errors
    /// [`ErrorKind::MissingCapability`] if the client cannot show forms, [`ErrorKind::Timeout`] if it does not answer,
    /// [`ErrorKind::InvalidParams`] if its answer is not what was asked for, [`ErrorKind::Definition`] if `T` is no form.
    #[cfg(feature = "schemars")]
    pub async fn elicit<T: DeserializeOwned + schemars::JsonSchema>(&self, message: &str) -> Result<Elicited<T>> {
        let form = Form { message, requested_schema: super::schema::form::<T>()? };
        elicited(&self.ask("elicit", &form).await?)
    }

    /// [`Context::elicit`] with a schema made by hand.
    ///
    /// # Errors
    /// As those of `elicit`.
    pub async fn elicit_form(&self, message: &str, schema: &RawValue) -> Result<Elicited<types::JSONObject>> {
        elicited(&self.ask("elicit", &Form { message, requested_schema: schema }).await?)
    }

    /// Asks the user to open a link, for what must not pass through the client: credentials, payments.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode>.
    ///
    /// # Errors
    /// As those of `elicit`.
    pub async fn elicit_url(&self, message: &str, url: &str) -> Result<Elicited<()>> {
        let answer = self.ask("elicit", &Link { mode: "url", message, url }).await?;
        Ok(match elicited::<serde::de::IgnoredAny>(&answer)? {
            Elicited::Accept(_) => Elicited::Accept(()),
            Elicited::Decline => Elicited::Decline,
            Elicited::Cancel => Elicited::Cancel,
        })
    }

    /// Has the client's model write something.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/client/sampling>.
    ///
    /// # Errors
    /// [`ErrorKind::MissingCapability`] if the client has no model to lend, [`ErrorKind::Remote`] if it refuses.
    pub async fn sample(&self, params: types::CreateMessageRequestParams) -> Result<types::CreateMessageResult> {
        read(&self.ask("sample", &params).await?)
    }

    /// The directories that the client opened to the server.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/client/roots>.
    ///
    /// # Errors
    /// [`ErrorKind::MissingCapability`] if the client has no such list.
    pub async fn list_roots(&self) -> Result<Vec<types::Root>> {
        let result: types::ListRootsResult = read(&self.ask("roots", &serde_json::Map::new()).await?)?;
        Ok(result.roots)
    }

    async fn ask(&self, kind: &str, params: &impl Serialize) -> Result<Box<RawValue>> {
        let params = serde_json::to_string(params)
            .map_err(|error| Error::internal(format!("a question cannot be written: {error}")))?;
        let text = match &self.key {
            None => format!("{{\"{kind}\":{params}}}"),
            Some(key) => format!("{{\"{kind}\":{params},\"key\":{}}}", serde_json::Value::from(&**key)),
        };
        // Asked under the lock of the extras: another task's flush may bring the answer before anybody is there to take it.
        let answer = attach::with(&self.call, |extras| -> Result<_> {
            Ok(match self.engine.ask(&self.call, &text)? {
                (_, Some(known)) => Ok(known),
                (number, None) => Err(extras.expect(number)),
            })
        })?;
        match answer {
            Ok(known) => Ok(known),
            Err(coming) => {
                attach::needs_flush(&self.call);
                coming.await.unwrap_or_else(|_| Err(Error::new(ErrorKind::Cancelled, "the call is over")))
            }
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Form<'a, S> {
    message: &'a str,
    requested_schema: S,
}

#[derive(Serialize)]
struct Link<'a> {
    mode: &'static str,
    message: &'a str,
    url: &'a str,
}

#[derive(serde::Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    action: &'a RawValue,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

fn elicited<T: DeserializeOwned>(answer: &RawValue) -> Result<Elicited<T>> {
    let wrong = |error| Error::invalid_params(format!("the answer to the form cannot be read: {error}"));
    let answer: Answer<'_> = serde_json::from_str(answer.get()).map_err(wrong)?;
    Ok(match answer.action.get() {
        "\"accept\"" => {
            let content = answer.content.map_or("{}", RawValue::get);
            Elicited::Accept(serde_json::from_str(content).map_err(wrong)?)
        }
        "\"decline\"" => Elicited::Decline,
        _ => Elicited::Cancel,
    })
}

fn read<T: DeserializeOwned>(answer: &RawValue) -> Result<T> {
    serde_json::from_str(answer.get())
        .map_err(|error| Error::invalid_params(format!("the client's answer cannot be read: {error}")))
}
