//! JSON-RPC and server-sent events as text. Knows nothing of MCP.
//!
//! Everything here works on bytes that somebody else read and appends to buffers that somebody else writes. A message
//! is read in one borrowed pass ([`parse`]); only a message that fails is looked at again, to say why. What the engine
//! need not understand (arguments, results) stays the text it arrived as, so that 64-bit integers, member order and
//! number spellings survive.
//!
//! | file | holds |
//! |---|---|
//! | [`id`] | request ids and progress tokens, exact |
//! | [`envelope`] | one message, one batch |
//! | `reject` | why a message was refused, and whether that may be answered |
//! | `scan` | checks of the whole text that come before the parse: nesting, surrogates |
//! | [`shape`] | serde shapes: text without a copy, an object that must be one |
//! | [`raw`] | members of raw JSON objects, without a tree |
//! | [`mod@write`] | appending messages |
//! | [`lines`] | newline framing (stdio) |
//! | [`sse`] | event streams, both ways |

pub mod envelope;
pub mod id;
pub mod lines;
pub mod raw;
mod reject;
mod scan;
pub mod shape;
pub mod sse;
pub mod write;

pub use envelope::{Message, WireError, is_batch, parse, split_batch};
pub use id::RequestId;
pub use lines::{Line, Lines};
pub use reject::Rejected;
pub use shape::{Object, Text};
