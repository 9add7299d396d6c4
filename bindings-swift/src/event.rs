//! What crosses in a batch.

use omniport::bridge::{Item, ItemKind, Part, Told};

/// How many events one batch holds at most, so that a reader can do other things in between.
pub const BATCH: usize = 256;

/// What an event is.
#[derive(Clone, Copy, Debug, uniffi::Enum)]
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

/// One event.
#[derive(Debug, uniffi::Record)]
pub struct Event {
    pub kind: Kind,
    pub token: u64,
    pub slot: u32,
    /// JSON or plain text, by its kind.
    pub text: String,
}

/// A part of what a client tells.
#[derive(Clone, Copy, Debug, uniffi::Enum)]
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

/// One thing that a client told.
#[derive(Debug, uniffi::Record)]
pub struct Message {
    /// The number of the client.
    pub client: u64,
    pub kind: ToldKind,
    pub token: u64,
    /// JSON or plain text, by its kind.
    pub text: String,
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl From<Item> for Event {
    fn from(item: Item) -> Self {
        let kind = match item.kind {
            ItemKind::Call => Kind::Call,
            ItemKind::Read => Kind::Read,
            ItemKind::Get => Kind::Get,
            ItemKind::Complete => Kind::Complete,
            ItemKind::Visible => Kind::Visible,
            ItemKind::Authenticate => Kind::Authenticate,
            ItemKind::Answer => Kind::Answer,
            ItemKind::Cancel => Kind::Cancel,
            ItemKind::Event => Kind::Event,
            ItemKind::Audit => Kind::Audit,
            ItemKind::Report => Kind::Report,
            ItemKind::Http => Kind::Http,
            ItemKind::End => Kind::End,
        };
        Self { kind, token: item.token, slot: item.slot, text: text_of(&item.text) }
    }
}

impl From<Told> for Message {
    fn from(told: Told) -> Self {
        let kind = match told.part {
            Part::Result => ToldKind::Result,
            Part::Error => ToldKind::Error,
            Part::Input => ToldKind::Input,
            Part::Progress => ToldKind::Progress,
            Part::Log => ToldKind::Log,
            Part::Asked => ToldKind::Asked,
            Part::Withdrawn => ToldKind::Withdrawn,
            Part::Change => ToldKind::Change,
            Part::State => ToldKind::State,
            Part::Stderr => ToldKind::Stderr,
            Part::Report => ToldKind::Report,
            Part::Closed => ToldKind::Closed,
        };
        Self { client: told.client, kind, token: told.token, text: text_of(&told.text) }
    }
}
