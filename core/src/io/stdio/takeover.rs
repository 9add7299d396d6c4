//! Takes stdin and stdout from the rest of the process, and gives them back.

use std::fs::OpenOptions;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use super::super::fd;
use crate::error::{Error, Result};

const STDIN: i32 = 0;
const STDOUT: i32 = 1;
const STDERR: i32 = 2;

/// Whether a server has them.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// What fd 0 and fd 1 named before; they name it again when this is dropped.
pub(super) struct Takeover {
    input: OwnedFd,
    output: OwnedFd,
}

impl Takeover {
    /// Takes both, and returns descriptors to serve on.
    pub fn begin() -> Result<(Self, OwnedFd, OwnedFd)> {
        if TAKEN.swap(true, Ordering::AcqRel) {
            return Err(Error::invalid_request("a server runs on stdin and stdout already"));
        }
        Self::take().inspect_err(|_| TAKEN.store(false, Ordering::Release))
    }

    fn take() -> Result<(Self, OwnedFd, OwnedFd)> {
        let own = |number, name| fd::duplicate(number).map_err(|error| Error::from(error).with("descriptor", name));
        let (input, output) = (own(STDIN, "stdin")?, own(STDOUT, "stdout")?);
        let served = (input.try_clone()?, output.try_clone()?);
        let nothing = OpenOptions::new().read(true).write(true).open("/dev/null")?;
        // From here on a failure must give back what is taken already: dropping `taken` does.
        let taken = Self { input, output };
        fd::replace(&nothing, STDIN)?;
        match fd::duplicate(STDERR) {
            Ok(stderr) => fd::replace(&stderr, STDOUT)?,
            Err(_) => fd::replace(&nothing, STDOUT)?,
        }
        Ok((taken, served.0, served.1))
    }
}

impl Drop for Takeover {
    fn drop(&mut self) {
        // What C code printed meanwhile belongs to stderr.
        fd::flush_c_streams();
        for (own, number) in [(&self.input, STDIN), (&self.output, STDOUT)] {
            if let Err(error) = fd::replace(&own.as_raw_fd(), number) {
                tracing::warn!(%error, number, "a standard stream could not be given back");
            }
        }
        TAKEN.store(false, Ordering::Release);
    }
}
