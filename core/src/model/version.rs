//! Protocol revisions and what each of them has. Every question "does this revision have X" is answered here.

use std::fmt;

/// How a revision conveys version and capabilities.
/// See <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#terminology>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// An `initialize` handshake opens a session.
    Legacy,
    /// Every request carries its own metadata.
    Modern,
}

/// A published revision of the protocol, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// 2024-11-05: the first, with the HTTP+SSE transport.
    V2024_11_05,
    /// 2025-03-26: Streamable HTTP, batches, annotations.
    V2025_03_26,
    /// 2025-06-18: structured results, elicitation, resource links; no batches.
    V2025_06_18,
    /// 2025-11-25: sampling with tools, URL elicitation, icons.
    V2025_11_25,
    /// 2026-07-28: stateless, no handshake.
    V2026_07_28,
}

impl Version {
    /// Every revision, newest first: the order in which a server offers them.
    pub const ALL: [Self; 5] =
        [Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18, Self::V2025_03_26, Self::V2024_11_05];

    /// The newest revision with a handshake: what a server answers to an `initialize` that names an unknown one.
    pub const NEWEST_LEGACY: Self = Self::V2025_11_25;

    /// The newest revision.
    pub const NEWEST: Self = Self::V2026_07_28;

    /// What a Streamable HTTP server assumes of a request without a version header.
    /// See <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header>.
    pub const WITHOUT_HEADER: Self = Self::V2025_03_26;

    /// The revision's name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The revision of that name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.as_str() == text)
    }

    /// The era the revision belongs to.
    pub fn era(self) -> Era {
        if self >= Self::V2026_07_28 { Era::Modern } else { Era::Legacy }
    }

    /// Whether several messages may travel as one JSON array.
    pub fn has_batches(self) -> bool {
        self == Self::V2025_03_26
    }

    /// Whether a tool may have an output schema and structured content.
    pub fn has_structured_content(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Whether structured content may be any JSON value; before, it was an object.
    pub fn has_any_structured_content(self) -> bool {
        self >= Self::V2026_07_28
    }

    /// Whether `completions` is a capability of its own.
    pub fn has_completions_capability(self) -> bool {
        self >= Self::V2025_03_26
    }

    /// Whether an event stream may end early so that its client polls (SEP-1699).
    pub fn has_stream_polling(self) -> bool {
        self == Self::V2025_11_25
    }

    /// Whether `elicitation/create` exists.
    pub fn has_elicitation(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Whether elicitation has modes, `form` and `url`.
    pub fn has_elicitation_modes(self) -> bool {
        self >= Self::V2025_11_25
    }

    /// Whether sampling may use tools.
    pub fn has_sampling_tools(self) -> bool {
        self >= Self::V2025_11_25
    }

    /// The JSON-RPC code of an unknown resource: `-32002` until 2025-11-25.
    pub fn resource_not_found_code(self) -> i64 {
        match self.era() {
            Era::Legacy => -32002,
            Era::Modern => -32602,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
