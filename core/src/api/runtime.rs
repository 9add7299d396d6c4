//! The Tokio runtime that handlers run in: the one of the thread, else the one their server was started in, else one that is
//! started when it is first needed.

use tokio::runtime::Handle;

use crate::error::Result;
use crate::io::runtime;

/// A runtime, and whether this thread must enter it first.
///
/// # Errors
/// When the system gives no threads.
pub(super) fn find(home: Option<&Handle>) -> Result<(Handle, bool)> {
    match (Handle::try_current(), home) {
        (Ok(current), _) => Ok((current, false)),
        (Err(_), Some(home)) => Ok((home.clone(), true)),
        (Err(_), None) => Ok((runtime::shared()?, true)),
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Builder;

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
