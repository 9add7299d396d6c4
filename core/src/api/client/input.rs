//! Questions of a modern server that the caller answers by hand, maybe later and in another process.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::call::Asked;
use super::{params, read};
use crate::engine::client::Operation;
use crate::error::{Error, Result};
use crate::types::{self, InputRequests, InputResponse, InputResponses};
use crate::wire::raw;

/// What became of a call whose questions are answered by hand: [`Call::by_hand`](super::Call::by_hand).
///
/// ```no_run
/// use omniport::api::client::{Client, Step};
/// use omniport::types::{ElicitResult, ElicitResultAction};
///
/// # async fn run(client: Client) -> omniport::error::Result<()> {
/// let mut step = client.call_tool("order", ()).by_hand().await?;
/// let result = loop {
///     match step {
///         Step::Done(result) => break result,
///         Step::Input(mut input) => {
///             for key in input.requests().keys().cloned().collect::<Vec<_>>() {
///                 input.answer(key, ElicitResult::new(ElicitResultAction::Decline));
///             }
///             // Or: write `input` down as JSON, and go on another day with another client.
///             step = client.resume(input).await?;
///         }
///     }
/// };
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub enum Step<R> {
    /// The result.
    Done(R),
    /// The server needs to know something first.
    Input(InputRequired<R>),
}

/// A call that waits for input. It can be written as JSON and read by another process, which goes on with
/// [`Client::resume`](super::Client::resume) against the same server.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
pub struct InputRequired<R> {
    operation: String,
    params: Box<RawValue>,
    requests: InputRequests,
    state: Option<Box<RawValue>>,
    answers: InputResponses,
    #[serde(skip)]
    result: PhantomData<fn() -> R>,
}

impl<R> InputRequired<R> {
    /// What the server asks, by keys of its own.
    pub fn requests(&self) -> &InputRequests {
        &self.requests
    }

    /// Answers the question of that key. What is left unanswered is asked again.
    pub fn answer(&mut self, key: impl Into<String>, answer: impl Into<InputResponse>) -> &mut Self {
        self.answers.insert(key.into(), answer.into());
        self
    }

    /// The operation and the parameters of the next round.
    pub(super) fn next_round(self) -> Result<(Operation, String)> {
        let operation = Operation::parse(&self.operation)
            .ok_or_else(|| Error::invalid_params(format!("there is no operation {:?}", self.operation)))?;
        let mut params = self.params.get().to_owned();
        if !self.answers.is_empty() {
            params = params::with(&params, "inputResponses", &self.answers)?;
        }
        if let Some(state) = self.state {
            params = params::with(&params, "requestState", &state)?;
        }
        Ok((operation, params))
    }
}

/// The results of methods that may need input.
pub trait TakesInput: DeserializeOwned + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! takes_input {
    ($($result:ident),+) => {
        $(
            impl sealed::Sealed for types::$result {}
            impl TakesInput for types::$result {}
        )+
    };
}

takes_input!(CallToolResult, GetPromptResult, ReadResourceResult);

/// A result, or what is needed before there can be one.
pub(super) fn step<R: TakesInput>(asked: &Asked, result: Box<RawValue>) -> Result<Step<R>> {
    if raw::get(&result, "resultType")?.is_none_or(|kind| kind.get() != "\"input_required\"") {
        return read::result(asked, result).map(Step::Done);
    }
    let state = raw::get(&result, "requestState")?.map(ToOwned::to_owned);
    let required: types::InputRequiredResult = read::result(asked, result)?;
    // What belongs to the round before is not asked again.
    let mut params = asked.params.clone();
    for member in ["inputResponses", "requestState"] {
        params = params::without(&params, member)?;
    }
    let params = RawValue::from_string(params).map_err(|error| Error::invalid_params(error.to_string()))?;
    Ok(Step::Input(InputRequired {
        operation: asked.operation.as_str().to_owned(),
        params,
        requests: required.input_requests.unwrap_or_default(),
        state,
        answers: InputResponses::new(),
        result: PhantomData,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_waits_survives_its_process() {
        let params = r#"{"name":"t","arguments":{"n":9007199254740993.0},"requestState":"old"}"#.to_owned();
        let asked = Asked { operation: Operation::CallTool, params };
        let result =
            r#"{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}},"requestState":"new"}"#;
        let Step::Input(input) =
            step::<types::CallToolResult>(&asked, RawValue::from_string(result.to_owned()).unwrap()).unwrap()
        else {
            panic!("it needs input");
        };
        let text = serde_json::to_string(&input).unwrap();
        let mut input: InputRequired<types::CallToolResult> = serde_json::from_str(&text).unwrap();
        assert!(matches!(input.requests()["k"], types::InputRequest::ListRoots(_)));
        input.answer("k", types::ListRootsResult::new(Vec::new()));
        let (operation, params) = input.next_round().unwrap();
        assert_eq!(operation, Operation::CallTool);
        assert_eq!(
            params,
            r#"{"name":"t","arguments":{"n":9007199254740993.0},"inputResponses":{"k":{"roots":[]}},"requestState":"new"}"#
        );
    }
}
