//! The requests, as text. Arguments and the expected answer follow from the id, so that a swapped or stale answer is noticed.

use std::fmt::Write as _;
use std::str::FromStr;

use crate::fault::Fault;

const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";
const CLIENT: &str = r#"{"name":"bench","version":"1"}"#;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Era {
    Legacy,
    Modern,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// `tools/call` of `add(a, b)`.
    Add,
    /// `tools/call` of `big()`: a text of 1 MB.
    Big,
    /// `tools/call` of `echo(text)`.
    Echo,
    /// `tools/list`, all pages.
    List,
}

impl FromStr for Era {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Era, Fault> {
        match text {
            "legacy" => Ok(Era::Legacy),
            "modern" => Ok(Era::Modern),
            _ => Err(Fault(format!("--era is legacy or modern, not {text:?}"))),
        }
    }
}

impl FromStr for What {
    type Err = Fault;

    fn from_str(text: &str) -> Result<What, Fault> {
        match text {
            "add" => Ok(What::Add),
            "big" => Ok(What::Big),
            "echo" => Ok(What::Echo),
            "list" => Ok(What::List),
            _ => Err(Fault(format!("--what is add, big, echo or list, not {text:?}"))),
        }
    }
}

impl What {
    fn method(self) -> &'static str {
        if self == What::List { "tools/list" } else { "tools/call" }
    }

    fn tool(self) -> Option<&'static str> {
        match self {
            What::Add => Some("add"),
            What::Big => Some("big"),
            What::Echo => Some("echo"),
            What::List => None,
        }
    }
}

/// The summands of the call with this id.
pub fn summands(id: u64) -> (u64, u64) {
    (id, id % 1000 + 1)
}

/// The text that the call with this id wants back.
pub fn echoed(id: u64) -> String {
    format!("message {id}: \"quoted\", back\\slash, Grüße")
}

/// The body of one request.
pub fn body(era: Era, what: What, id: u64, cursor: Option<&str>) -> String {
    let mut text = String::with_capacity(384);
    let _ = write!(text, r#"{{"jsonrpc":"2.0","id":{id},"method":"{}","params":{{"#, what.method());
    if let Some(tool) = what.tool() {
        let _ = write!(text, r#""name":"{tool}","arguments":"#);
        let (a, b) = summands(id);
        let _ = match what {
            What::Add => write!(text, r#"{{"a":{a},"b":{b}}}"#),
            What::Echo => write!(text, r#"{{"text":{}}}"#, quoted(&echoed(id))),
            What::Big | What::List => write!(text, "{{}}"),
        };
    }
    if let Some(cursor) = cursor {
        let _ = write!(text, r#""cursor":{}"#, quoted(cursor));
    }
    if era == Era::Modern {
        let comma = if text.ends_with('{') { "" } else { "," };
        let _ = write!(
            text,
            "{comma}\"_meta\":{{\"io.modelcontextprotocol/protocolVersion\":\"{MODERN}\",\
             \"io.modelcontextprotocol/clientInfo\":{CLIENT},\"io.modelcontextprotocol/clientCapabilities\":{{}}}}"
        );
    }
    text.push_str("}}");
    text
}

pub fn initialize(id: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{LEGACY}","capabilities":{{}},"clientInfo":{CLIENT}}}}}"#
    )
}

pub const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// An HTTP request with this body. `session`: the header of a legacy session, if the server gave one.
pub fn post(address: &str, headers: &str, session: Option<&str>, body: &str) -> Vec<u8> {
    let mut text = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n\
         content-length: {}\r\n{headers}",
        body.len()
    );
    if let Some(session) = session {
        let _ = write!(text, "mcp-session-id: {session}\r\n");
    }
    text.push_str("\r\n");
    text.push_str(body);
    text.into_bytes()
}

/// The headers that requests of the era carry besides the common ones.
pub fn headers(era: Era, what: What) -> String {
    match (era, what.tool()) {
        (Era::Legacy, _) => format!("mcp-protocol-version: {LEGACY}\r\n"),
        (Era::Modern, None) => format!("mcp-protocol-version: {MODERN}\r\nmcp-method: {}\r\n", what.method()),
        (Era::Modern, Some(tool)) => {
            format!("mcp-protocol-version: {MODERN}\r\nmcp-method: {}\r\nmcp-name: {tool}\r\n", what.method())
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
