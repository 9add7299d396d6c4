//! The clocks: the one place that reads them.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::time::Now;

#[allow(clippy::disallowed_methods, reason = "this module is where time enters; everything else is given it")]
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// This moment. Its monotonic part counts from the first call in this process.
#[allow(clippy::disallowed_methods, reason = "this module is where time enters; everything else is given it")]
pub fn now() -> Now {
    let start = *START;
    Now {
        monotonic: Instant::now().saturating_duration_since(start),
        // A clock before 1970 counts as 1970: state sealed then has expired later, which is the safe side.
        unix: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
    }
}
