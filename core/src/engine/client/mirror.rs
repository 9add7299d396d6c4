//! Tool arguments that HTTP headers repeat, as the tools' own schemas want it.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters>.

use serde_json::value::RawValue;

use super::call::Waiter;
use super::host::Token;
use super::operation::{Operation, Plan};
use super::options::CallOptions;
use super::state::State;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Era, Method};
use crate::time::Now;
use crate::wire::raw;

impl State {
    /// The headers that repeat arguments of a call, by their names, with the values as the body has them.
    ///
    /// # Errors
    /// `InvalidParams` for an argument that is not of the type its schema declares.
    pub fn mirrored(&self, token: Token, method: Method) -> Result<Vec<(Box<str>, String)>> {
        if method != Method::CallTool || !self.tools.have_rules() {
            return Ok(Vec::new());
        }
        let Some(call) = self.calls.get(&token) else { return Ok(Vec::new()) };
        let Some(tool) = call.tool(&self.tools) else { return Ok(Vec::new()) };
        let map = &tool.mirror;
        if map.is_empty() {
            return Ok(Vec::new());
        }
        let arguments = raw::get(&call.params, "arguments").ok().flatten();
        let values = map.extract(arguments.map_or("{}", RawValue::get))?;
        let entries = map.entries().iter().zip(values);
        Ok(entries.filter_map(|(entry, value)| Some((entry.header.clone(), value?))).collect())
    }

    /// A call failed. When the server misses headers, what is known of its tools is not what it has: they are listed again, and the
    /// call goes on, once. Gives the error back if it is another one.
    pub fn relist(&mut self, token: Token, error: Error, now: Now) -> Option<Error> {
        let is_modern = self.http.is_some() && self.version().is_some_and(|version| version.era() == Era::Modern);
        let Some(call) = self.calls.get_mut(&token).filter(|_| is_modern) else { return Some(error) };
        let is_mismatch = error.code() == ErrorKind::HeaderMismatch.code() && error.kind() == ErrorKind::Remote;
        if call.relisted || !is_mismatch || call.plan != Plan::Request(Method::CallTool) {
            return Some(error);
        }
        call.relisted = true;
        let headers = call.options.headers.clone();
        // One listing does for all calls that fail meanwhile, as long as it is by the same credentials.
        let under_way = self.calls.values_mut().filter(|other| other.options.headers == headers);
        let waiting = under_way.filter_map(|other| match &mut other.waiter {
            Waiter::Calls(waiting) => Some(waiting),
            Waiter::Host | Waiter::Refresh(_) | Waiter::Watch => None,
        });
        match waiting.into_iter().next() {
            Some(waiting) => waiting.push((token, error)),
            None => {
                let options = CallOptions { headers, ..CallOptions::default() };
                self.start_own(Operation::ListTools, options, Waiter::Calls(vec![(token, error)]), now);
            }
        }
        None
    }

    /// The tools that calls waited for are known again, or cannot be listed. What ended meanwhile stays ended.
    pub fn go_on(&mut self, calls: Vec<(Token, Error)>, outcome: Result<()>, now: Now) {
        for (token, error) in calls {
            if !self.calls.contains_key(&token) {
                continue;
            }
            match &outcome {
                Ok(()) => {
                    self.arm(token, now);
                    self.issue(token, now);
                }
                Err(_) => self.finish(token, Err(error), now),
            }
        }
    }
}
