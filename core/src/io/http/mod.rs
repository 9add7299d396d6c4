//! One HTTP request through the engine, for hyper and for whatever speaks `http` types.

mod body;
mod reply;
mod request;

pub use body::Body;
pub use request::Answer;

pub(super) use request::Setup;
