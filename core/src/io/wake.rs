//! A descriptor that becomes readable when a queue has something: what an event loop of any language can wait for.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use crate::bridge::Wake;

/// An eventfd on Linux, a pipe elsewhere.
pub struct WakeFd {
    read: OwnedFd,
    write: Option<OwnedFd>,
}

impl WakeFd {
    /// A descriptor that is not readable yet.
    pub fn new() -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        {
            // SAFETY: eventfd takes no pointer.
            let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
            // SAFETY: the descriptor was just made and nobody else has it.
            let read = unsafe { OwnedFd::from_raw_fd(checked(fd)?) };
            Ok(Self { read, write: None })
        }
        #[cfg(not(target_os = "linux"))]
        {
            let mut fds = [0; 2];
            // SAFETY: the array has room for both descriptors.
            checked(unsafe { libc::pipe(fds.as_mut_ptr()) })?;
            for fd in fds {
                // SAFETY: the descriptor is open; the flags take no pointer.
                checked(unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) })?;
                // SAFETY: as above.
                checked(unsafe { libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK) })?;
            }
            // SAFETY: both descriptors were just made and nobody else has them.
            unsafe { Ok(Self { read: OwnedFd::from_raw_fd(fds[0]), write: Some(OwnedFd::from_raw_fd(fds[1])) }) }
        }
    }

    /// The descriptor to wait for.
    pub fn fd(&self) -> RawFd {
        self.read.as_raw_fd()
    }
}

impl Wake for WakeFd {
    fn wake(&self) {
        let fd = self.write.as_ref().unwrap_or(&self.read).as_raw_fd();
        let one = 1u64.to_ne_bytes();
        // SAFETY: the buffer outlives the call. A full pipe or counter is readable already, so a failure loses nothing.
        let _ = unsafe { libc::write(fd, one.as_ptr().cast(), one.len()) };
    }

    fn clear(&self) {
        let mut buffer = [0u8; 64];
        // SAFETY: the buffer has the length that is given. Nothing to read is no fault.
        while unsafe { libc::read(self.fd(), buffer.as_mut_ptr().cast(), buffer.len()) } == buffer.len() as isize {}
    }
}

fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
