//! A server on a pair of pipes: its own stdin and stdout, or any two descriptors.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio>.
//!
//! Reading is one plain thread: a runtime's stdin costs ten times as much per message. Writing is done by whoever has
//! something to write, as long as the pipe takes it at once, and by a thread of its own otherwise; so a client that does not
//! read blocks neither a handler nor the reader (F01, security 17).

use std::fmt;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{fd, timers};
use crate::engine::{Connection, Engine};
use crate::error::{Error, Result};
use crate::protocol::sink::Sink;

mod input;
mod output;
mod takeover;

use output::Output;
use takeover::Takeover;

/// Why a server on pipes ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StdioEnd {
    /// The client closed its side.
    Eof,
    /// The input was at its end before the first byte: most likely the program was started by hand without a client (Y10).
    NoInput,
    /// The client does not read any more (N16).
    PeerGone,
    /// [`StdioHandle::close`] was called.
    Closed,
    /// Reading failed for another reason.
    Failed(String),
}

impl fmt::Display for StdioEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Eof => f.write_str("the client closed the connection"),
            Self::NoInput => {
                f.write_str("the input ended before the first message: was the server started by a client?")
            }
            Self::PeerGone => f.write_str("the client is gone"),
            Self::Closed => f.write_str("the server was closed"),
            Self::Failed(why) => write!(f, "reading failed: {why}"),
        }
    }
}

/// Serves on this process's stdin and stdout, and takes them: from now on fd 1 names what fd 2 does and fd 0 is empty, so
/// that neither a `print` nor a child process can write into the protocol or read from it (W22, P13).
///
/// # Errors
/// When stdin or stdout is closed, or is served already.
pub fn serve_stdio(engine: &Arc<Engine>) -> Result<StdioHandle> {
    let (takeover, input, output) = Takeover::begin()?;
    serve(engine, input, output, Some(takeover))
}

/// Serves on any two descriptors: pipes, sockets, terminals. They may name the same socket.
///
/// # Errors
/// When the system has no thread or descriptor to spare.
pub fn serve_pipe(engine: &Arc<Engine>, read: OwnedFd, write: OwnedFd) -> Result<StdioHandle> {
    serve(engine, read, write, None)
}

fn serve(engine: &Arc<Engine>, read: OwnedFd, write: OwnedFd, takeover: Option<Takeover>) -> Result<StdioHandle> {
    fd::ignore_broken_pipes();
    timers::drive(engine);
    let (wake, waker) = std::io::pipe()?;
    let output = Output::new(File::from(write), engine.limits().queued_bytes, waker);
    let shared = Arc::new(Shared {
        connection: engine.connect(Arc::clone(&output) as Arc<dyn Sink>),
        output,
        control: Mutex::default(),
        ended: Condvar::new(),
        takeover: Mutex::new(takeover),
    });
    let reader = input::Reader::new(Arc::clone(&shared), File::from(read), wake, engine.limits());
    std::thread::Builder::new()
        .name("omniport-stdin".into())
        .spawn(move || reader.run())
        .map_err(|error| Error::from(error).with("thread", "omniport-stdin"))?;
    Ok(StdioHandle { shared })
}

/// A running server on pipes. Dropping it changes nothing: the server runs until its client leaves or it is closed.
#[derive(Clone)]
pub struct StdioHandle {
    shared: Arc<Shared>,
}

struct Shared {
    connection: Connection,
    output: Arc<Output>,
    control: Mutex<Control>,
    ended: Condvar,
    takeover: Mutex<Option<Takeover>>,
}

type OnEnd = Box<dyn FnOnce(&StdioEnd) + Send>;

#[derive(Default)]
struct Control {
    /// The grace that the first close gave.
    close: Option<Duration>,
    end: Option<StdioEnd>,
    on_end: Vec<OnEnd>,
    reader: Option<std::thread::ThreadId>,
}

impl Shared {
    fn control(&self) -> MutexGuard<'_, Control> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything is over: tells all who wait for it.
    fn end(&self, end: &StdioEnd) {
        let listeners = {
            let mut control = self.control();
            control.end = Some(end.clone());
            std::mem::take(&mut control.on_end)
        };
        self.ended.notify_all();
        for listener in listeners {
            listener(end);
        }
    }
}

impl StdioHandle {
    /// Waits for the end of the server.
    pub fn wait(&self) -> StdioEnd {
        let mut control = self.shared.control();
        loop {
            if let Some(end) = &control.end {
                return end.clone();
            }
            control = self.shared.ended.wait(control).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Stops reading, lets running calls finish for at most `grace`, cancels the others, and gives stdin and stdout back.
    /// Returns when that is done; called by a handler on the reader's own thread, it only begins it.
    ///
    /// A server that ended by itself keeps stdout until this is called: output that a runtime buffered must not reach the
    /// client when the process exits.
    pub fn close(&self, grace: Duration) {
        let is_reader = {
            let mut control = self.shared.control();
            control.close.get_or_insert(grace);
            control.reader == Some(std::thread::current().id())
        };
        self.shared.output.interrupt();
        if !is_reader {
            self.wait();
            let takeover = self.shared.takeover.lock().unwrap_or_else(PoisonError::into_inner).take();
            drop(takeover);
        }
    }

    /// Whether the server ended.
    pub fn is_over(&self) -> bool {
        self.shared.control().end.is_some()
    }

    /// Sets what is called once when the server ends; at once when it has.
    pub fn on_end(&self, listener: impl FnOnce(&StdioEnd) + Send + 'static) {
        let end = {
            let mut control = self.shared.control();
            match control.end.clone() {
                None => return control.on_end.push(Box::new(listener)),
                Some(end) => end,
            }
        };
        listener(&end);
    }

    /// From now on messages wait for [`end_batch`](Self::end_batch), so that many leave in one write. Batches may overlap.
    pub fn begin_batch(&self) {
        self.shared.output.begin_batch();
    }

    /// Ends a batch and sends what waits.
    pub fn end_batch(&self) {
        self.shared.output.end_batch();
    }

    /// Sends what waits. Without an open batch every message is sent by itself, and nothing ever waits for this.
    pub fn flush(&self) {
        self.shared.output.flush();
    }
}
