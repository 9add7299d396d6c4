//! The kinds of what crosses in a batch, by their numbers.

use omniport::bridge::{ItemKind, Part};

/// What an event is.
#[derive(Clone, Copy, Debug, uniffi::Enum)]
#[repr(u8)]
pub enum Kind {
    /// Run the tool in `slot`; text: its arguments, validated against the tool's schema.
    Call,
    /// Read the resource or template in `slot`; text: `{"uri", "variables": {name: str | [str]}}`.
    Read,
    /// The prompt in `slot`; text: its arguments, an object of strings.
    Get,
    /// Completion handler in `slot`; text: `{"argument", "value", "arguments"}`.
    Complete,
    /// Which of these may the caller see; text: `{"kind", "names"}`; complete with the names that stay.
    Visible,
    /// Who is this; text: `{"headers": {name: value}}`; complete with a principal, or fail.
    Authenticate,
    /// The answer to question `slot` of call `token`; text: `{"result"}` or `{"error": {"kind", "code", "message", "data"?}}`.
    Answer,
    /// Call `token` is over for its caller: stop it; plain text.
    Cancel,
    /// Something a client told the server; text: `{"event": "roots_changed" | "subscribed" | "unsubscribed", ...}`.
    Event,
    /// A finished call, when asked for; text: `{"kind", "name", "principal", "arguments_sha256", "outcome", "ms"}`.
    Audit,
    /// A fault worth a log line; slot: level (10 debug .. 40 error); plain text.
    Report,
    /// For `handle_http`; slot 0 head: `{"status", "headers"}`, 1 a part of the body, 2 the end.
    Http,
    /// Nothing will follow.
    End,
}

/// A part of what a client tells.
#[derive(Clone, Copy, Debug, uniffi::Enum)]
#[repr(u8)]
pub enum ToldKind {
    /// The answer of call `token`.
    Result,
    /// Its failure; text: `{"kind", "code", "message", "data"?, "retry", "context"}`.
    Error,
    /// The answer of call `token`, made by hand, that says what input it needs.
    Input,
    /// How far it is; text: the parameters of the notification.
    Progress,
    /// A log message, of call `token` where that is not 0; text: the parameters of the notification.
    Log,
    /// The server asks; token: the number for `answer`; text: `{"elicit" | "elicit_url" | "sample" | "roots": params}`.
    Asked,
    /// Question `token` needs no answer any more.
    Withdrawn,
    /// Text: `{"kind": "tools"|"resources"|"prompts"|"resource"|"missed"|"ended", "uri"?, "added"?, "removed"?, "changed"?}`.
    Change,
    /// Text: `{"state": "connecting"|"ready"|"recovering"|"failed"|"closed", "cause"?}`.
    State,
    /// A line of the server process, plain text.
    Stderr,
    /// A fault worth a log line; token: its level (10 debug .. 40 error); plain text.
    Report,
    /// The connection is over, and every call has its result; text: the error that ended it.
    Closed,
}

impl From<ItemKind> for Kind {
    fn from(kind: ItemKind) -> Self {
        match kind {
            ItemKind::Call => Self::Call,
            ItemKind::Read => Self::Read,
            ItemKind::Get => Self::Get,
            ItemKind::Complete => Self::Complete,
            ItemKind::Visible => Self::Visible,
            ItemKind::Authenticate => Self::Authenticate,
            ItemKind::Answer => Self::Answer,
            ItemKind::Cancel => Self::Cancel,
            ItemKind::Event => Self::Event,
            ItemKind::Audit => Self::Audit,
            ItemKind::Report => Self::Report,
            ItemKind::Http => Self::Http,
            ItemKind::End => Self::End,
        }
    }
}

impl From<Part> for ToldKind {
    fn from(part: Part) -> Self {
        match part {
            Part::Result => Self::Result,
            Part::Error => Self::Error,
            Part::Input => Self::Input,
            Part::Progress => Self::Progress,
            Part::Log => Self::Log,
            Part::Asked => Self::Asked,
            Part::Withdrawn => Self::Withdrawn,
            Part::Change => Self::Change,
            Part::State => Self::State,
            Part::Stderr => Self::Stderr,
            Part::Report => Self::Report,
            Part::Closed => Self::Closed,
        }
    }
}
