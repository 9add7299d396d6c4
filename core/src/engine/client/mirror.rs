//! Tool arguments that HTTP headers repeat, as the tools' own schemas want it. What a listing said is remembered per tool.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters>.

use serde_json::value::RawValue;

use super::host::Token;
use super::state::State;
use crate::error::Result;
use crate::model::{Level, Method, params};
use crate::schema::xheader::HeaderMap;
use crate::wire::{raw, write};

impl State {
    /// Learns from a page of tools what is to be mirrored. The page loses the tools whose annotations break a rule: the revision
    /// demands that, and one bad tool must not hide the others (X10).
    pub fn learn_tools(&mut self, page: &RawValue) -> Box<RawValue> {
        let text = page.get();
        let Some(http) = &mut self.http else { return page.to_owned() };
        // An escaped spelling of the keyword still has a backslash.
        let may_have = memchr::memmem::find(text.as_bytes(), b"x-mcp-header").is_some() || text.contains('\\');
        if !may_have && http.mirrors.is_empty() {
            return page.to_owned();
        }
        let list = member(page, "tools").map_or("[]", RawValue::get);
        let Ok(mut tools) = serde_json::from_str::<Vec<&RawValue>>(list) else { return page.to_owned() };
        let before = tools.len();
        let mut reports = Vec::new();
        tools.retain(|tool| {
            let Some(name) = member(tool, "name").and_then(|name| params::text(name, "name").ok()) else { return true };
            match HeaderMap::from_schema(member(tool, "inputSchema").map_or("{}", RawValue::get)) {
                Ok(map) if map.is_empty() => {
                    http.mirrors.remove(&*name);
                    true
                }
                Ok(map) => {
                    http.mirrors.insert(name.into(), map);
                    true
                }
                Err(error) => {
                    http.mirrors.remove(&*name);
                    reports.push(format!("the tool `{}` is left out: {error}", name.escape_debug()));
                    false
                }
            }
        });
        for report in reports {
            self.report(Level::Warning, report);
        }
        if tools.len() == before { page.to_owned() } else { with_tools(page, &tools) }
    }

    /// The headers that repeat arguments of a call, by their names, with the values as the body has them.
    ///
    /// # Errors
    /// `InvalidParams` for an argument that is not of the type its schema declares.
    pub fn mirrored(&self, token: Token, method: Method) -> Result<Vec<(Box<str>, String)>> {
        let (Some(http), Some(call), Method::CallTool) = (&self.http, self.calls.get(&token), method) else {
            return Ok(Vec::new());
        };
        let name = member(&call.params, "name").and_then(|name| params::text(name, "name").ok());
        let Some(map) = name.and_then(|name| http.mirrors.get(&*name)) else { return Ok(Vec::new()) };
        let values = map.extract(member(&call.params, "arguments").map_or("{}", RawValue::get))?;
        let entries = map.entries().iter().zip(values);
        Ok(entries.filter_map(|(entry, value)| Some((entry.header.clone(), value?))).collect())
    }
}

/// The page with other tools and everything else as it was.
fn with_tools(page: &RawValue, tools: &[&RawValue]) -> Box<RawValue> {
    let mut out = b"{".to_vec();
    for (key, value) in raw::members(page).into_iter().flatten() {
        if key != "tools" {
            write::member(&mut out, &key, value.get().as_bytes());
            continue;
        }
        write::key(&mut out, "tools");
        out.push(b'[');
        for (index, tool) in tools.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(tool.get().as_bytes());
        }
        out.push(b']');
    }
    write::close(&mut out);
    let text = String::from_utf8(out).ok().and_then(|text| RawValue::from_string(text).ok());
    text.unwrap_or_else(|| page.to_owned())
}

fn member<'a>(object: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    raw::get(object, name).ok().flatten()
}
