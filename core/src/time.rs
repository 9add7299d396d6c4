//! Time as an argument: the engine never reads a clock, so a test can make an hour pass in a line.

use std::time::Duration;

/// The moment an event happens, as its caller measured it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Now {
    /// Time since an arbitrary start, never going back. Deadlines and durations use it.
    pub monotonic: Duration,
    /// Time since the Unix epoch. Only what another process must understand (sealed state) uses it.
    pub unix: Duration,
}

impl Now {
    /// A moment `by` later on both clocks.
    pub fn after(self, by: Duration) -> Self {
        Self { monotonic: self.monotonic + by, unix: self.unix + by }
    }
}
