//! A client of a server process: lines to its stdin, lines from its stdout.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::runtime::Handle;
use tokio::time;

use super::child::{Child, ChildSpec, StderrLine};
use super::client::ClientConnection;
use super::{clock, era_memory};
use crate::engine::client::{ClientEngine, ClientHost, ClientOptions, LARGE, Link};
use crate::error::Error;
use crate::wire::{Line, Lines};

mod outbox;

use outbox::{Next, Order, Outbox};

/// Bytes that one read takes, and that lines are gathered to before they are written.
const CHUNK: usize = 64 << 10;
/// Bytes that are kept of what a process prints before its first message.
const NOISE: usize = 1 << 10;
/// A process that has failed its client gets this part of its time to exit: the next one waits for it.
const HURRY: u32 = 4;

/// Starts the server and connects. What goes wrong is the result of [`ClientConnection::opened`].
pub fn connect_command(
    runtime: &Handle,
    mut options: ClientOptions,
    spec: ChildSpec,
    host: Arc<dyn ClientHost>,
) -> ClientConnection {
    let key = era_memory::command_key(&spec.argv, spec.cwd.as_deref());
    let (host, watch) = era_memory::recall(Some(key), &mut options, host);
    let limits = &options.limits;
    let outbox = Arc::new(Outbox::new(limits.queued_bytes));
    let (message_bytes, queued_bytes, grace) = (limits.message_bytes, limits.queued_bytes, limits.child_exit);
    let link = Link::Lines(Arc::clone(&outbox) as _);
    let engine = ClientEngine::new(options, link, Arc::clone(&host));
    watch.follow(&engine);
    let stderr: StderrLine = Arc::new(move |line| host.stderr(line));
    let carrier = Carrier { engine: Arc::clone(&engine), outbox, stderr, message_bytes, queued_bytes, grace };
    ClientConnection::open(runtime, engine, carrier.run(spec))
}

struct Carrier {
    engine: Arc<ClientEngine>,
    outbox: Arc<Outbox>,
    stderr: StderrLine,
    message_bytes: usize,
    queued_bytes: usize,
    grace: Duration,
}

impl Carrier {
    /// One process after the other, as the engine wants them. Each is ended, with all it started, before the next begins.
    async fn run(self, spec: ChildSpec) {
        let mut is_first = true;
        loop {
            match Child::spawn(&spec, Arc::clone(&self.stderr)) {
                Ok((child, stdin, stdout)) => self.attend(child, stdin, stdout).await,
                // What is short today may be there when the engine tries again.
                Err(error) if error.can_retry() && !is_first => self.engine.lost(error, clock::now()),
                Err(error) => return self.engine.fail(error),
            }
            is_first = false;
            if !self.is_wanted_again().await {
                return;
            }
        }
    }

    /// Waits for the engine to decide; it may take its time.
    async fn is_wanted_again(&self) -> bool {
        loop {
            let order = self.outbox.ordered().await;
            self.outbox.obey();
            match order {
                Order::Close => return false,
                Order::Restart => return true,
                Order::Overflow => {}
            }
        }
    }

    /// Carries lines until the process or the client is done, then ends the process.
    async fn attend(&self, mut child: Child, stdin: ChildStdin, mut stdout: ChildStdout) {
        let mut noise = Some(String::new());
        let is_lost = tokio::select! {
            () = self.write(stdin) => false,
            () = self.read(&mut stdout, &mut noise) => true,
            () = child.failed() => true,
            () = self.cannot_wait() => false,
        };
        // Of a process that is given up already nobody needs to hear.
        let order = self.outbox.order();
        match order {
            None if is_lost => {
                let error = child.why(noise.as_deref()).await;
                self.engine.lost(error, clock::now());
            }
            Some(Order::Overflow) => {
                self.outbox.obey();
                let what = format!("what waits for the server `{}`, which does not read,", child.program());
                self.engine.lost(Error::limit("queued_bytes", self.queued_bytes, what), clock::now());
            }
            _ => {}
        }
        let grace = if order == Some(Order::Close) { self.grace } else { self.grace / HURRY };
        // Its output is still read, or a server that is writing could not exit.
        let mut sink = tokio::io::sink();
        tokio::select! {
            () = child.end(grace) => {}
            () = async { let _ = tokio::io::copy(&mut stdout, &mut sink).await; std::future::pending().await } => {}
        }
    }

    /// Ends when an order can wait for the writer no longer: a server that does not read cannot hold up its end.
    async fn cannot_wait(&self) {
        if self.outbox.ordered().await == Order::Close {
            time::sleep(self.grace).await;
        }
    }

    /// Writes lines until there is an order; what waits together goes out together. The input is closed then.
    async fn write(&self, mut stdin: ChildStdin) {
        let mut buffer = Vec::with_capacity(CHUNK);
        let mut is_broken = false;
        while let Some(next) = self.outbox.next(&mut buffer, CHUNK).await {
            // A server that no longer reads may still have something to say: its output decides when it is over.
            if !is_broken {
                is_broken = match next {
                    Next::Long(line) => stdin.write_all_buf(&mut line.chain(Bytes::from_static(b"\n"))).await,
                    Next::Gathered => stdin.write_all(&buffer).await,
                }
                .is_err();
            }
            buffer.clear();
        }
    }

    /// Reads messages until the output ends. `noise` gathers what is none, until there was one (W22).
    async fn read(&self, stdout: &mut ChildStdout, noise: &mut Option<String>) {
        let mut lines = Lines::new(self.message_bytes);
        let mut chunk = vec![0; CHUNK];
        let mut take = |line: Line<'_>| match line {
            Line::Text(text) => {
                if let Some(printed) = noise {
                    match text.trim_ascii_start().first() {
                        Some(b'{' | b'[') => *noise = None,
                        _ => gather(printed, text),
                    }
                }
                // Large ones are taken below, in the memory that they came in.
                if text.len() < LARGE {
                    self.engine.receive(text, clock::now());
                }
                text.len() >= LARGE
            }
            Line::TooLong => {
                self.engine.receive_too_long(clock::now());
                false
            }
        };
        while let Ok(read @ 1..) = stdout.read(&mut chunk).await {
            let mut rest = &chunk[..read];
            while let Some(line) = lines.next(&mut rest) {
                if take(line) {
                    self.engine.receive_whole(lines.take_held(), clock::now());
                }
            }
        }
        if lines.finish().is_some_and(take) {
            self.engine.receive_whole(lines.take_held(), clock::now());
        }
    }
}

/// Adds the start of a line while there is room.
fn gather(printed: &mut String, text: &[u8]) {
    let room = NOISE.saturating_sub(printed.len());
    if room > 0 {
        printed.push_str(&String::from_utf8_lossy(&text[..text.len().min(room)]));
        printed.push('\n');
    }
}

#[cfg(test)]
#[cfg(unix)]
#[path = "client_stdio/tests.rs"]
mod tests;
