//! The Tokio runtime that handlers run in: the one of the thread, else the one their server was started in, else one that is
//! started when it is first needed.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

use crate::error::Result;

static SHARED: OnceLock<Runtime> = OnceLock::new();

/// A runtime, and whether this thread must enter it first.
///
/// # Errors
/// When the system gives no threads.
pub(super) fn find(home: Option<&Handle>) -> Result<(Handle, bool)> {
    match (Handle::try_current(), home) {
        (Ok(current), _) => Ok((current, false)),
        (Err(_), Some(home)) => Ok((home.clone(), true)),
        (Err(_), None) => Ok((shared()?.handle().clone(), true)),
    }
}

fn shared() -> Result<&'static Runtime> {
    if let Some(runtime) = SHARED.get() {
        return Ok(runtime);
    }
    let runtime = Builder::new_multi_thread().enable_all().thread_name("omniport-handlers").build()?;
    // Of two threads that start one at once, the second drops its own again.
    Ok(SHARED.get_or_init(|| runtime))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_without_a_runtime_gets_one() {
        let (first, entered) = find(None).unwrap();
        assert!(entered);
        assert_eq!(first.id(), find(None).unwrap().0.id());
        let home = Builder::new_current_thread().build().unwrap();
        assert_eq!(find(Some(home.handle())).unwrap().0.id(), home.handle().id());
        let _entered = home.enter();
        let (around, enter) = find(None).unwrap();
        assert!(!enter && around.id() == home.handle().id());
    }
}
