//! The shapes the engine must look into: versions, methods, request metadata, capabilities, definitions.
//! Everything else stays raw JSON text.

pub mod capability;
pub mod level;
pub mod method;
pub mod params;
pub mod version;

pub use capability::ClientCapabilities;
pub use level::Level;
pub use method::Method;
pub use params::{Meta, Params};
pub use version::{Era, Version};
