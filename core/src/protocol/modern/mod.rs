//! What only stateless revisions have: questions inside results, and state that travels through the client.

pub mod input;
pub mod probe;
pub mod seal;
