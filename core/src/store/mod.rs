//! What outlives a request and must be shared by all replicas of a server, as traits, with their form in memory.

pub mod redeemed;

pub use redeemed::{MemoryRedeemed, Redeemed};
