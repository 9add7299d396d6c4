//! The numbers of what crosses; see `Kinds` and `Parts` in `native.ts`.

use napi_derive::napi;
use omniport::bridge::{ItemKind, Part};

#[napi]
pub const CALL: u32 = ItemKind::Call as u32;
#[napi]
pub const READ: u32 = ItemKind::Read as u32;
#[napi]
pub const GET: u32 = ItemKind::Get as u32;
#[napi]
pub const COMPLETE: u32 = ItemKind::Complete as u32;
#[napi]
pub const VISIBLE: u32 = ItemKind::Visible as u32;
#[napi]
pub const AUTHENTICATE: u32 = ItemKind::Authenticate as u32;
#[napi]
pub const ANSWER: u32 = ItemKind::Answer as u32;
#[napi]
pub const CANCEL: u32 = ItemKind::Cancel as u32;
#[napi]
pub const EVENT: u32 = ItemKind::Event as u32;
#[napi]
pub const AUDIT: u32 = ItemKind::Audit as u32;
#[napi]
pub const REPORT: u32 = ItemKind::Report as u32;
#[napi]
pub const HTTP: u32 = ItemKind::Http as u32;
#[napi]
pub const END: u32 = ItemKind::End as u32;

#[napi]
pub const TOLD_RESULT: u32 = Part::Result as u32;
#[napi]
pub const TOLD_ERROR: u32 = Part::Error as u32;
#[napi]
pub const TOLD_INPUT: u32 = Part::Input as u32;
#[napi]
pub const TOLD_PROGRESS: u32 = Part::Progress as u32;
#[napi]
pub const TOLD_LOG: u32 = Part::Log as u32;
#[napi]
pub const TOLD_ASKED: u32 = Part::Asked as u32;
#[napi]
pub const TOLD_WITHDRAWN: u32 = Part::Withdrawn as u32;
#[napi]
pub const TOLD_CHANGE: u32 = Part::Change as u32;
#[napi]
pub const TOLD_STATE: u32 = Part::State as u32;
#[napi]
pub const TOLD_STDERR: u32 = Part::Stderr as u32;
#[napi]
pub const TOLD_REPORT: u32 = Part::Report as u32;
#[napi]
pub const TOLD_CLOSED: u32 = Part::Closed as u32;
