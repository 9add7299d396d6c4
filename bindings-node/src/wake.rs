//! How a JavaScript thread is woken: by a threadsafe function that runs nothing of a user's and keeps no process alive.

use napi::bindgen_prelude::{Function, Result};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use omniport::bridge::Wake;

/// Wakes the thread that made it.
pub struct JsWake(ThreadsafeFunction<(), (), (), napi::Status, false, true>);

impl JsWake {
    /// Will call `wake`, which must not throw: nobody is above it to catch.
    pub fn new(wake: Function<'_, (), ()>) -> Result<Self> {
        Ok(Self(wake.build_threadsafe_function::<()>().weak::<true>().callee_handled::<false>().build()?))
    }
}

impl Wake for JsWake {
    fn wake(&self) {
        // A thread that ends refuses, and nobody is left there to be woken.
        let _ = self.0.call((), ThreadsafeFunctionCallMode::NonBlocking);
    }
}
