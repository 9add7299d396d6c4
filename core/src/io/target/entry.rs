//! Entries of `mcpServers` files, as hosts write them. Members that are unknown are somebody else's; values are never in an error
//! (Y28).

use http::HeaderMap;
use serde_json::{Map, Value};

use super::Target;
use super::expand::{Variables, expand};
use crate::error::{Error, Result};
use crate::io::child::ChildSpec;
use crate::io::http_options::HttpOptions;
use crate::protocol::http::client::user_header;

/// Members that hold the servers of a file: that of most hosts, and that of Visual Studio Code.
const SERVERS: [&str; 2] = ["mcpServers", "servers"];

impl Target {
    /// The server `name` of a whole file, `{"mcpServers": {name: entry}}` or `{"servers": {name: entry}}`. Where there is but one, it
    /// needs no name.
    ///
    /// # Errors
    /// `Definition` that names the file's servers when `name` is none of them; else as [`Target::from_entry`].
    pub fn from_file(text: &str, name: Option<&str>, variables: &Variables) -> Result<Self> {
        // Editors of Windows put a byte order mark in front.
        let file: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| Error::definition(format!("the file of servers is no JSON: {error}")))?;
        let Some(servers) = SERVERS.iter().find_map(|member| file.get(member)?.as_object()) else {
            return Err(Error::definition("the file of servers has no object `mcpServers`"));
        };
        let mut all = servers.iter();
        let found = match name {
            Some(name) => servers.get_key_value(name),
            None => all.next().filter(|_| all.next().is_none()),
        };
        let Some((name, entry)) = found else {
            let names = servers.keys().map(|name| format!("`{}`", name.escape_debug())).collect::<Vec<_>>().join(", ");
            let wanted =
                name.map_or_else(|| "a name is needed".to_owned(), |name| format!("there is no server `{name}`"));
            return Err(Error::definition(format!("{wanted}; the file has {}", or_none(&names))));
        };
        Entry { name, members: members(name, entry)?, variables }.target()
    }

    /// One entry, as JSON text: `{"command", "args", "env", "cwd"}` or `{"url", "headers"}`, with `type` or `transport` where it is
    /// not clear. `${NAME}`, `${NAME:-default}` and `${env:NAME}` are taken from `variables` alone; see [`super::environment`].
    /// `sse` is a URL like any other: that a server speaks only the HTTP+SSE transport of 2024 is found out when connecting.
    ///
    /// # Errors
    /// `Definition` that names the server and the member: of the wrong type, a variable that is not set, an entry that is disabled.
    pub fn from_entry(name: &str, entry: &str, variables: &Variables) -> Result<Self> {
        let entry: Value = serde_json::from_str(entry)
            .map_err(|error| Error::definition(format!("the server `{name}` is no JSON: {error}")))?;
        Entry { name, members: members(name, &entry)?, variables }.target()
    }
}

fn members<'a>(name: &str, entry: &'a Value) -> Result<&'a Map<String, Value>> {
    entry.as_object().ok_or_else(|| Error::definition(format!("the server `{name}` must be an object")))
}

fn or_none(names: &str) -> &str {
    if names.is_empty() { "none" } else { names }
}

/// One entry while it is read.
struct Entry<'a> {
    name: &'a str,
    members: &'a Map<String, Value>,
    variables: &'a Variables,
}

impl Entry<'_> {
    fn target(&self) -> Result<Target> {
        if self.members.get("disabled") == Some(&Value::Bool(true)) {
            return Err(self.wrong("is disabled"));
        }
        let (command, url) = (self.text("command")?, self.text("url")?);
        match (self.is_process()?, command, url) {
            (Some(true), None, _) => Err(self.wrong("needs `command` for its type")),
            (Some(false), _, None) => Err(self.wrong("needs `url` for its type")),
            (None, Some(_), Some(_)) => Err(self.wrong("has both `command` and `url`, and no `type` that says which")),
            (None, None, None) => Err(self.wrong("has neither `command` nor `url`")),
            (Some(true) | None, Some(command), _) => self.command(command),
            (Some(false) | None, _, Some(url)) => {
                Ok(Target::Url { url, http: Box::new(HttpOptions::with_headers(self.headers()?)) })
            }
        }
    }

    /// Whether `type` or `transport` says that it is a process. Hosts spell the transports in many ways.
    fn is_process(&self) -> Result<Option<bool>> {
        let Some(member) = ["type", "transport"].into_iter().find(|member| self.members.contains_key(*member)) else {
            return Ok(None);
        };
        let Some(word) = self.text(member)? else { return Ok(None) };
        match word.to_ascii_lowercase().replace(['-', '_'], "").as_str() {
            "stdio" => Ok(Some(true)),
            "http" | "streamablehttp" | "sse" => Ok(Some(false)),
            _ => Err(self.wrong(&format!("has an unknown `{member}`: `{}`", word.escape_debug()))),
        }
    }

    /// The command is one program: it is never cut into words, and no shell sees it (security 36).
    fn command(&self, program: String) -> Result<Target> {
        let mut argv = vec![program];
        if let Some(args) = self.member("args") {
            let args = args.as_array().ok_or_else(|| self.wrong("needs a list as `args`"))?;
            for (place, arg) in args.iter().enumerate() {
                argv.push(self.expanded(&format!("args[{place}]"), arg)?);
            }
        }
        let mut env = Vec::new();
        for (name, value) in self.object("env")? {
            match value {
                Value::Null => {}
                // Ports and flags are often written without quotes.
                Value::Number(_) | Value::Bool(_) => env.push((name.clone(), value.to_string())),
                _ => env.push((name.clone(), self.expanded(&format!("env.{name}"), value)?)),
            }
        }
        Ok(Target::Command(ChildSpec { argv, env, cwd: self.text("cwd")?.map(Into::into) }))
    }

    fn headers(&self) -> Result<HeaderMap> {
        let mut headers = HeaderMap::new();
        for (name, value) in self.object("headers")? {
            let member = format!("headers.{name}");
            let text = self.expanded(&member, value)?;
            let (name, value) = user_header(name, &text)
                .map_err(|_| self.wrong(&format!("has characters in `{member}` that no header may have")))?;
            headers.insert(name, value);
        }
        Ok(headers)
    }

    fn member(&self, member: &str) -> Option<&Value> {
        self.members.get(member).filter(|value| !value.is_null())
    }

    fn text(&self, member: &str) -> Result<Option<String>> {
        self.member(member).map(|value| self.expanded(member, value)).transpose()
    }

    fn object(&self, member: &str) -> Result<impl Iterator<Item = (&String, &Value)>> {
        let object = match self.member(member) {
            None => None,
            Some(value) => {
                Some(value.as_object().ok_or_else(|| self.wrong(&format!("needs an object as `{member}`")))?)
            }
        };
        Ok(object.into_iter().flatten())
    }

    fn expanded(&self, member: &str, value: &Value) -> Result<String> {
        match value {
            Value::String(text) => {
                expand(text.clone(), self.variables, &|| format!("the server `{}`: `{member}`", self.name))
            }
            _ => Err(self.wrong(&format!("needs text as `{member}`"))),
        }
    }

    fn wrong(&self, what: &str) -> Error {
        Error::definition(format!("the server `{}` {what}", self.name))
    }
}
