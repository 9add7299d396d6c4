//! Log levels, in the order of RFC 5424.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging>.

/// How severe a log message is; least severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl Level {
    const ALL: [(&'static str, Self); 8] = [
        ("debug", Self::Debug),
        ("info", Self::Info),
        ("notice", Self::Notice),
        ("warning", Self::Warning),
        ("error", Self::Error),
        ("critical", Self::Critical),
        ("alert", Self::Alert),
        ("emergency", Self::Emergency),
    ];

    /// The level of that name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, level)| *level)
    }

    /// The level's name on the wire.
    pub fn as_str(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// The level with that number, for states that keep it in an atomic.
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).map(|(_, level)| *level)
    }
}
