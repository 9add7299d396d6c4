//! The one error type of the core. Every language maps it once, without losing a field.

use std::fmt;

use serde_json::value::RawValue;

/// What sort of failure it is; a language binding makes one exception class of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not JSON.
    Parse,
    /// JSON, but no message the protocol knows.
    InvalidRequest,
    /// The method does not exist in the peer's era, or its capability is absent.
    MethodNotFound,
    /// The parameters of a known method are wrong: unknown tool, bad cursor, missing member.
    InvalidParams,
    /// The server failed for a reason that is not the caller's.
    Internal,
    /// An HTTP header and the body disagree, or a required header is missing (`-32020`).
    HeaderMismatch,
    /// The request needs a capability that its client did not declare (`-32021`).
    MissingCapability,
    /// The server does not speak the revision the request names (`-32022`).
    UnsupportedVersion,
    /// A named limit was reached; the message says which and what it is set to.
    Limit,
    /// The call ran out of time.
    Timeout,
    /// The caller took the request back.
    Cancelled,
    /// The connection ended before the answer.
    Closed,
    /// The request was refused before the protocol looked at it: host, origin, credentials.
    Refused,
    /// A definition or a setting of the user's cannot be: schema, template, name, header, limit.
    Definition,
    /// The peer answered with an error of its own.
    Remote,
    /// Reading, writing, connecting or starting a process failed.
    Io,
}

impl ErrorKind {
    const ALL: [Self; 16] = [
        Self::Parse,
        Self::InvalidRequest,
        Self::MethodNotFound,
        Self::InvalidParams,
        Self::Internal,
        Self::HeaderMismatch,
        Self::MissingCapability,
        Self::UnsupportedVersion,
        Self::Limit,
        Self::Timeout,
        Self::Cancelled,
        Self::Closed,
        Self::Refused,
        Self::Definition,
        Self::Remote,
        Self::Io,
    ];

    /// The kind of that name at the language boundary.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// The kind's name at the language boundary.
    pub fn word(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::InvalidRequest => "invalid_request",
            Self::MethodNotFound => "method_not_found",
            Self::InvalidParams => "invalid_params",
            Self::Internal => "internal",
            Self::HeaderMismatch => "header_mismatch",
            Self::MissingCapability => "missing_capability",
            Self::UnsupportedVersion => "unsupported_version",
            Self::Limit => "limit",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::Closed => "closed",
            Self::Refused => "refused",
            Self::Definition => "definition",
            Self::Remote => "remote",
            Self::Io => "io",
        }
    }

    /// The JSON-RPC code that this kind travels under.
    /// See <https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes>.
    pub fn code(self) -> i64 {
        match self {
            Self::Parse => -32700,
            Self::InvalidRequest => -32600,
            Self::MethodNotFound => -32601,
            Self::InvalidParams => -32602,
            Self::HeaderMismatch => -32020,
            Self::MissingCapability => -32021,
            Self::UnsupportedVersion => -32022,
            _ => -32603,
        }
    }
}

/// A failure with every fact that its reader may need.
#[derive(Debug)]
pub struct Error(Box<Facts>);

#[derive(Debug)]
struct Facts {
    kind: ErrorKind,
    code: i64,
    message: String,
    data: Option<Box<RawValue>>,
    context: Vec<(&'static str, String)>,
    retry: bool,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The result of everything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure of `kind`; the message is for people and names what and where.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Facts {
            kind,
            code: kind.code(),
            message: message.into(),
            data: None,
            context: Vec::new(),
            retry: false,
            source: None,
        }))
    }

    /// The text is not JSON (`-32700`).
    pub fn parse(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Parse, message)
    }

    /// Not a message of the protocol (`-32600`).
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidRequest, message)
    }

    /// No such method for this peer (`-32601`).
    pub fn method_not_found(method: &str) -> Self {
        Self::new(ErrorKind::MethodNotFound, format!("Method not found: {method}"))
    }

    /// Wrong parameters of a known method (`-32602`).
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidParams, message)
    }

    /// A fault that is not the caller's (`-32603`).
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// The limit `name`, set to `value`, was reached.
    pub fn limit(name: &'static str, value: impl fmt::Display, what: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Limit, format!("{what} exceeds the limit `{name}` ({value})")).with("limit", name)
    }

    /// A definition that cannot be registered.
    pub fn definition(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Definition, message)
    }

    /// Overrides the code of the kind, for errors that a peer or a handler numbered itself.
    pub fn with_code(mut self, code: i64) -> Self {
        self.0.code = code;
        self
    }

    /// Adds the `data` member of the JSON-RPC error.
    pub fn with_data(mut self, data: Box<RawValue>) -> Self {
        self.0.data = Some(data);
        self
    }

    /// Adds a named fact: `status`, `exit`, `stderr`, `limit`, `tool`.
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.0.context.push((name, value.to_string()));
        self
    }

    /// Adds to the text for people: what else was tried, what follows.
    pub fn explained(mut self, more: impl fmt::Display) -> Self {
        self.0.message = format!("{}; {more}", self.0.message);
        self
    }

    /// Says that the same request may succeed later.
    pub fn retryable(mut self) -> Self {
        self.0.retry = true;
        self
    }

    /// Keeps the failure that caused this one.
    pub fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// What sort of failure it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The JSON-RPC code.
    pub fn code(&self) -> i64 {
        self.0.code
    }

    /// The text for people.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The first line of the text, for logs: what follows lists what was wrong with a value, and with it the value (security 47).
    pub fn headline(&self) -> &str {
        self.0.message.lines().next().unwrap_or_default()
    }

    /// The `data` member of the JSON-RPC error, as JSON text.
    pub fn data(&self) -> Option<&RawValue> {
        self.0.data.as_deref()
    }

    /// The named facts, in the order they were added.
    pub fn context(&self) -> &[(&'static str, String)] {
        &self.0.context
    }

    /// One named fact.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.0.context.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
    }

    /// Whether the same request may succeed later.
    pub fn can_retry(&self) -> bool {
        self.0.retry
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        for (name, value) in &self.0.context {
            write!(f, " [{name}: {value}]")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::new(ErrorKind::Io, error.to_string()).caused_by(error)
    }
}
