//! The way out: messages become lines in a buffer, and whoever ends a batch writes it as far as the pipe takes it at once.
//! The rest goes to a thread that may block.
//!
//! The descriptor never becomes non-blocking: its description is shared with other processes, which would fail on it. `poll`
//! says instead whether a pipe takes [`PIECE`] bytes without blocking.

use std::fs::File;
use std::io::{ErrorKind, PipeWriter, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use memchr::memchr2;

use super::super::clock;
use super::super::fd::{self, Ready, Way};
use crate::protocol::sink::{Frame, Sink};
use crate::wire::raw;

/// What a pipe takes when `poll` calls it writable: `PIPE_BUF`. Sockets take more.
const PIECE: usize = 4096;

/// More than this is left to the thread: so many small writes cost more than waking it.
const INLINE: usize = 8 * PIECE;

/// How much the thread writes at a time, so that whoever waits for room sees it in time.
const BLOCK: usize = 64 << 10;

/// Memory that the buffers keep when they are empty.
const KEEP: usize = 256 << 10;

/// How often one caller writes what others added meanwhile, before the thread takes over.
const ROUNDS: usize = 2;

pub(super) struct Output {
    fd: File,
    /// Bytes that may wait before notifications are dropped and the reader stops.
    limit: usize,
    me: Weak<Self>,
    queued: AtomicUsize,
    batches: AtomicUsize,
    interrupted: AtomicBool,
    state: Mutex<State>,
    /// The thread waits on it for work.
    work: Condvar,
    /// Others wait on it for room, or for the end of requests.
    moved: Condvar,
    /// Wakes the reader.
    waker: PipeWriter,
}

#[derive(Default)]
struct State {
    /// Whole lines that nobody writes yet.
    pending: Vec<u8>,
    /// What is being written, from `at` on.
    current: Vec<u8>,
    at: usize,
    /// Somebody is in a write; `current` is with them.
    writing: bool,
    /// The thread has to write what there is.
    handed_over: bool,
    has_thread: bool,
    waiting: usize,
    /// The other side is gone.
    failed: bool,
    closed: bool,
}

impl State {
    fn left(&self) -> usize {
        self.pending.len() + self.current.len() - self.at
    }

    /// Takes what is to be written next.
    fn take(&mut self) -> (Vec<u8>, usize) {
        if self.at == self.current.len() {
            self.current.clear();
            if self.current.capacity() > KEEP {
                self.current = Vec::new();
            }
            self.at = 0;
            std::mem::swap(&mut self.current, &mut self.pending);
        }
        self.writing = true;
        (std::mem::take(&mut self.current), self.at)
    }
}

impl Output {
    pub fn new(fd: File, limit: usize, waker: PipeWriter) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            fd,
            limit,
            me: Weak::clone(me),
            queued: AtomicUsize::new(0),
            batches: AtomicUsize::new(0),
            interrupted: AtomicBool::new(false),
            state: Mutex::default(),
            work: Condvar::new(),
            moved: Condvar::new(),
            waker,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn begin_batch(&self) {
        self.batches.fetch_add(1, Ordering::AcqRel);
    }

    pub fn end_batch(&self) {
        let before = self.batches.fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| count.checked_sub(1));
        debug_assert!(before.is_ok(), "a batch ended that was not begun");
        self.flush();
    }

    /// Sends what waits; never blocks.
    pub fn flush(&self) {
        self.push(self.state());
    }

    fn push<'a>(&'a self, mut state: MutexGuard<'a, State>) {
        if state.writing || state.handed_over || state.failed {
            return;
        }
        for _ in 0..ROUNDS {
            match state.left() {
                0 => return self.tell(&state),
                1..=INLINE => {}
                _ => break,
            }
            let (buffer, at) = state.take();
            drop(state);
            let (written, outcome) = self.write_ready(&buffer[at..]);
            state = self.put_back(buffer, at + written, written);
            match outcome {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => return self.fail(&mut state),
            }
        }
        if state.left() > 0 {
            self.hand_over(&mut state);
        }
        self.tell(&state);
    }

    /// Writes as long as the descriptor takes a piece without blocking; true when all is written.
    fn write_ready(&self, bytes: &[u8]) -> (usize, std::io::Result<bool>) {
        let mut written = 0;
        while written < bytes.len() {
            match fd::look(&self.fd, Way::Write) {
                Ok(Ready::Yes) => {}
                Ok(Ready::No) => return (written, Ok(false)),
                Ok(Ready::Broken) => return (written, Err(ErrorKind::BrokenPipe.into())),
                Err(error) => return (written, Err(error)),
            }
            let end = bytes.len().min(written + PIECE);
            match (&self.fd).write(&bytes[written..end]) {
                Ok(count) => written += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return (written, Ok(false)),
                Err(error) => return (written, Err(error)),
            }
        }
        (written, Ok(true))
    }

    fn put_back(&self, buffer: Vec<u8>, at: usize, written: usize) -> MutexGuard<'_, State> {
        let mut state = self.state();
        state.writing = false;
        if state.failed {
            return state;
        }
        (state.current, state.at) = (buffer, at);
        self.queued.fetch_sub(written, Ordering::AcqRel);
        state
    }

    fn hand_over(&self, state: &mut State) {
        state.handed_over = true;
        if !state.has_thread
            && let Some(me) = self.me.upgrade()
        {
            let thread = std::thread::Builder::new().name("omniport-stdout".into());
            state.has_thread = thread.spawn(move || me.run()).is_ok();
            if !state.has_thread {
                self.fail(state);
            }
        }
        self.work.notify_one();
    }

    /// The thread: writes what it is given, and may block in it.
    fn run(&self) {
        let mut state = self.state();
        loop {
            if state.closed || state.failed {
                return;
            }
            if !state.handed_over || state.writing {
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let (buffer, at) = state.take();
            drop(state);
            let end = buffer.len().min(at + BLOCK);
            let result = (&self.fd).write(&buffer[at..end]);
            let written = *result.as_ref().unwrap_or(&0);
            state = self.put_back(buffer, at + written, written);
            match result.map_err(|error| error.kind()) {
                Ok(_) | Err(ErrorKind::Interrupted) => {}
                // Another process made the shared description non-blocking.
                Err(ErrorKind::WouldBlock) => {
                    state.writing = true;
                    drop(state);
                    let waited = fd::wait(&self.fd, Way::Write);
                    state = self.state();
                    state.writing = false;
                    if waited.is_err() {
                        self.fail(&mut state);
                    }
                }
                Err(_) => self.fail(&mut state),
            }
            if state.left() == 0 {
                state.handed_over = false;
            }
            self.tell(&state);
        }
    }

    /// The other side is gone: nothing is written any more, and the reader ends (N16).
    fn fail(&self, state: &mut State) {
        state.failed = true;
        state.pending = Vec::new();
        (state.current, state.at) = (Vec::new(), 0);
        self.queued.store(0, Ordering::Release);
        self.wake();
        self.work.notify_all();
        self.tell(state);
    }

    fn tell(&self, state: &State) {
        if state.waiting > 0 {
            self.moved.notify_all();
        }
    }

    /// Wakes the reader wherever it waits.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Release);
        self.wake();
        self.tell(&self.state());
    }

    fn wake(&self) {
        if let Err(error) = (&self.waker).write(b"!") {
            tracing::debug!(%error, "the reader has ended already");
        }
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Acquire)
    }

    pub fn has_failed(&self) -> bool {
        self.state().failed
    }

    /// Whether the other side is known to be gone: a pipe says so before anything is written to it.
    pub fn is_broken(&self) -> bool {
        matches!(fd::look(&self.fd, Way::Write), Ok(Ready::Broken))
    }

    /// Waits until `done`, a failure or an interruption, for at most `time`. `done` is asked again whenever bytes went out or a
    /// request ended. False when the time is up.
    pub fn wait_for(&self, time: Option<Duration>, ignores_interrupt: bool, done: impl Fn() -> bool) -> bool {
        let until = time.map(|time| clock::now().monotonic + time);
        let mut state = self.state();
        state.waiting += 1;
        let reached = loop {
            if state.failed || done() || (self.is_interrupted() && !ignores_interrupt) {
                break true;
            }
            state = match until {
                None => self.moved.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let left = until.saturating_sub(clock::now().monotonic);
                    if left.is_zero() {
                        break false;
                    }
                    self.moved.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        };
        state.waiting -= 1;
        reached
    }

    /// Sends what waits, for at most `grace`; then nothing is sent any more.
    pub fn finish(&self, grace: Duration) {
        self.flush();
        self.wait_for(Some(grace), true, || self.queued.load(Ordering::Acquire) == 0);
        self.state().closed = true;
        self.work.notify_all();
    }
}

impl Sink for Output {
    fn send(&self, frame: Frame) {
        let message = frame.into_message();
        let mut state = self.state();
        if state.failed || state.closed {
            return self.tell(&state);
        }
        let before = state.pending.len();
        state.pending.reserve(message.len() + 1);
        message.append_to(&mut state.pending);
        // Handlers' results may be printed over several lines; a message is one.
        if memchr2(b'\n', b'\r', &state.pending[before..]).is_some() {
            let line = raw::one_line(&state.pending[before..]).into_owned();
            state.pending.truncate(before);
            state.pending.extend_from_slice(&line);
        }
        state.pending.push(b'\n');
        self.queued.fetch_add(state.pending.len() - before, Ordering::AcqRel);
        self.tell(&state);
        if self.batches.load(Ordering::Acquire) == 0 {
            self.push(state);
        }
    }

    fn is_congested(&self) -> bool {
        self.queued.load(Ordering::Acquire) > self.limit
    }

    fn withdrawn(&self) {
        self.tell(&self.state());
    }
}
