//! Telling the host of finished calls: who, what, a digest of the arguments, the outcome, how long. Never the arguments themselves.

use std::fmt::Write as _;

use ring::digest;

use super::Engine;
use super::call::{Call, Work};
use super::host::Event;
use crate::wire::write;

impl Engine {
    /// Tells of a call that is over, when the server asked for that.
    pub(super) fn audit(&self, call: &Call, outcome: &str) {
        if !self.options.audit {
            return;
        }
        let kind = match &call.work {
            Work::Tool { .. } => "tool",
            Work::Resource { .. } => "resource",
            Work::Prompt { .. } => "prompt",
            Work::Completion { .. } => "completion",
            Work::Visible(_) | Work::Authenticate(_) => return,
        };
        let mut out = b"{\"kind\":\"".to_vec();
        out.extend_from_slice(kind.as_bytes());
        out.extend_from_slice(b"\",\"name\":");
        write::string(&mut out, &call.origin.target);
        out.extend_from_slice(b",\"principal\":");
        match &call.origin.principal {
            Some(principal) => write::string(&mut out, &principal.subject),
            None => out.extend_from_slice(b"null"),
        }
        let digest = digest::digest(&digest::SHA256, &call.origin.input);
        let hex = digest.as_ref().iter().fold(String::with_capacity(64), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        let took = self.timers.latest().saturating_sub(call.started.monotonic);
        out.extend_from_slice(
            format!(
                ",\"arguments_sha256\":\"{hex}\",\"outcome\":\"{outcome}\",\"ms\":{}}}",
                took.as_secs_f64() * 1000.0
            )
            .as_bytes(),
        );
        self.host.event(Event::Audit(String::from_utf8_lossy(&out).into_owned()));
    }
}
