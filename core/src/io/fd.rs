//! The few calls on file descriptors that the standard library lacks. All unsafe code of stdio is here.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};

/// A descriptor of our own for what the number `fd` names; child processes do not inherit it.
pub fn duplicate(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the borrow lasts for this call only; a number that names nothing makes the call fail.
    unsafe { BorrowedFd::borrow_raw(fd) }.try_clone_to_owned()
}

/// Makes the descriptor number `target` name what `source` names.
pub fn replace(source: &impl AsRawFd, target: RawFd) -> io::Result<()> {
    // SAFETY: both are plain numbers; what `target` named before is owned by nobody (it is one of 0, 1 and 2).
    if unsafe { libc::dup2(source.as_raw_fd(), target) } < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Writes out what C code of this process has buffered for its streams.
pub fn flush_c_streams() {
    // SAFETY: a null stream means all of them; the call takes their locks.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}

/// Has a write to a reader that is gone fail instead of ending the process (N16). Most runtimes have set that already; a
/// choice that the process made itself stays.
pub fn ignore_broken_pipes() {
    // SAFETY: a zeroed `sigaction` is a valid place for the answer, and both calls only read and write the one given.
    unsafe {
        let mut current: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGPIPE, std::ptr::null(), &mut current) == 0 && current.sa_sigaction == libc::SIG_DFL
        {
            current.sa_sigaction = libc::SIG_IGN;
            libc::sigaction(libc::SIGPIPE, &current, std::ptr::null_mut());
        }
    }
}

/// Which way a descriptor shall be ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Read,
    Write,
}

/// What a descriptor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ready {
    /// It can be read or written, or is at its end.
    Yes,
    No,
    /// Writing to it is in vain: the other side is gone.
    Broken,
}

/// What `fd` is right now.
pub fn look(fd: &File, way: Way) -> io::Result<Ready> {
    poll(fd.as_raw_fd(), way, SKIPPED, 0)
}

/// Waits until `fd` is ready.
pub fn wait(fd: &File, way: Way) -> io::Result<Ready> {
    poll(fd.as_raw_fd(), way, SKIPPED, FOREVER)
}

/// Waits until `fd` is ready or `wake` can be read; `No` in the latter case.
pub fn wait_or_wake(fd: &File, way: Way, wake: &impl AsRawFd) -> io::Result<Ready> {
    poll(fd.as_raw_fd(), way, wake.as_raw_fd(), FOREVER)
}

/// A descriptor that `poll` does not look at.
const SKIPPED: RawFd = -1;
const FOREVER: libc::c_int = -1;

fn poll(fd: RawFd, way: Way, wake: RawFd, timeout: libc::c_int) -> io::Result<Ready> {
    let events = if way == Way::Read { libc::POLLIN } else { libc::POLLOUT };
    let mut both =
        [libc::pollfd { fd, events, revents: 0 }, libc::pollfd { fd: wake, events: libc::POLLIN, revents: 0 }];
    // SAFETY: the array outlives the call and its length is right.
    while unsafe { libc::poll(both.as_mut_ptr(), 2, timeout) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let [found, woken] = both.map(|one| one.revents);
    Ok(if way == Way::Write && found & (libc::POLLERR | libc::POLLHUP | libc::POLLNVAL) != 0 {
        Ready::Broken
    } else if woken != 0 || found == 0 {
        Ready::No
    } else {
        Ready::Yes
    })
}
