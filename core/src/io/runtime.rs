//! The Tokio runtime that is shared by everything in this process that needs one and was not given one: started with its first use.

use std::sync::{Mutex, PoisonError};

use tokio::runtime::{Builder, Handle, Runtime};

use crate::error::{Error, Result};

/// The runtime and the process that started it.
static SHARED: Mutex<Option<(u32, Runtime)>> = Mutex::new(None);

/// A handle to the shared runtime.
///
/// # Errors
/// `Internal` in a process that was forked from the one that started it: its threads did not come along, and what waits for them would
/// wait for ever (P12). `Io` when the system has no threads to spare.
pub fn shared() -> Result<Handle> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match &*shared {
        Some((owner, runtime)) if *owner == process => Ok(runtime.handle().clone()),
        Some(_) => Err(Error::internal(
            "this process was forked from one that used omniport already: start it anew instead of forking",
        )),
        None => {
            let runtime =
                Builder::new_multi_thread().worker_threads(2).thread_name("omniport-io").enable_all().build()?;
            let handle = runtime.handle().clone();
            *shared = Some((process, runtime));
            Ok(handle)
        }
    }
}
