//! What a server offers: tools, resources, templates and prompts as an immutable snapshot.
//! Listings are serialised once per snapshot and era; order is the order of registration, the same in every run (Y11).

pub mod catalog;
pub mod completion;
pub mod cursor;
pub mod listing;
pub mod prompt;
pub mod resource;
pub mod shelf;
pub mod template;
pub mod tool;

pub use catalog::{Catalog, Registry};
pub use shelf::{Entry, Kind, Shelf};

/// Names a handler to the language that registered it.
pub type Slot = u32;
