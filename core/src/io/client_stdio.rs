//! A client of a server process: lines to its stdin, lines from its stdout.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time;

use super::child::{Child, ChildSpec};
use super::client::ClientConnection;
use super::clock;
use crate::engine::client::{ClientEngine, ClientHost, ClientOptions, LineSink, Link};
use crate::wire::{Line, Lines};

/// Bytes that one read takes, and that lines are gathered to before they are written.
const CHUNK: usize = 64 << 10;

/// Starts the server and connects. What goes wrong is the result of [`ClientConnection::opened`].
pub fn connect_command(
    runtime: &Handle,
    options: ClientOptions,
    spec: ChildSpec,
    host: Arc<dyn ClientHost>,
) -> ClientConnection {
    let limit = options.limits.message_bytes;
    let grace = options.limits.child_exit;
    let (sender, receiver) = unbounded_channel();
    let closed = Arc::new(Notify::new());
    let sink = ToChild { sender, closed: Arc::clone(&closed) };
    let engine = ClientEngine::new(options, Link::Lines(Arc::new(sink)), host);
    let carrier = Carrier { engine: Arc::clone(&engine), receiver, closed, limit, grace };
    ClientConnection::open(runtime, engine, carrier.run(spec))
}

enum Out {
    Line(Bytes),
    Restart,
    Close,
}

struct ToChild {
    sender: UnboundedSender<Out>,
    closed: Arc<Notify>,
}

impl ToChild {
    fn push(&self, out: Out) {
        // After the end of the carrier there is nobody to send to, and the engine knows.
        let _ = self.sender.send(out);
    }
}

impl LineSink for ToChild {
    fn send(&self, message: Bytes) {
        self.push(Out::Line(message));
    }

    fn restart(&self) {
        self.push(Out::Restart);
    }

    fn close(&self) {
        self.push(Out::Close);
        self.closed.notify_one();
    }
}

struct Carrier {
    engine: Arc<ClientEngine>,
    receiver: UnboundedReceiver<Out>,
    closed: Arc<Notify>,
    limit: usize,
    grace: Duration,
}

impl Carrier {
    async fn run(mut self, spec: ChildSpec) {
        loop {
            let (mut child, stdin, mut stdout) = match Child::spawn(&spec) {
                Ok(started) => started,
                Err(error) => return self.engine.fail(error),
            };
            let ended = tokio::select! {
                () = write(&mut self.receiver, stdin) => false,
                () = read(&self.engine, &mut stdout, self.limit) => true,
                // A server that does not read cannot hold up the end.
                () = async { self.closed.notified().await; time::sleep(self.grace).await } => false,
            };
            if ended {
                self.engine.lost(child.why().await, clock::now());
            }
            // Its output is still read, or a server that is writing could not exit.
            let mut sink = tokio::io::sink();
            tokio::select! {
                () = child.end(self.grace) => {}
                () = async { let _ = tokio::io::copy(&mut stdout, &mut sink).await; std::future::pending().await } => {}
            }
            if !ended || !self.restarts().await {
                return;
            }
        }
    }

    /// Whether the engine wants the server again; lines for the one that is gone are dropped.
    async fn restarts(&mut self) -> bool {
        loop {
            match self.receiver.recv().await {
                Some(Out::Line(_)) => {}
                Some(Out::Restart) => return true,
                Some(Out::Close) | None => return false,
            }
        }
    }
}

/// Writes what the engine sends until it closes; what waits together goes out together.
async fn write(receiver: &mut UnboundedReceiver<Out>, mut stdin: ChildStdin) {
    let mut buffer = Vec::with_capacity(CHUNK);
    let mut broken = false;
    while let Some(first) = receiver.recv().await {
        let mut next = Some(first);
        let mut closes = false;
        while let Some(out) = next.take() {
            match out {
                Out::Line(line) => {
                    buffer.extend_from_slice(&line);
                    buffer.push(b'\n');
                }
                // Only after the end of the output is one asked for, and then nobody writes.
                Out::Restart => {}
                Out::Close => closes = true,
            }
            if !closes && buffer.len() < CHUNK {
                next = receiver.try_recv().ok();
            }
        }
        // A server that no longer reads may still have something to say: its output decides when it is over.
        broken = broken || stdin.write_all(&buffer).await.is_err() || stdin.flush().await.is_err();
        buffer.clear();
        buffer.shrink_to(CHUNK);
        if closes {
            return;
        }
    }
}

async fn read(engine: &ClientEngine, stdout: &mut ChildStdout, limit: usize) {
    let mut lines = Lines::new(limit);
    let mut chunk = vec![0; CHUNK];
    let take = |line: Line<'_>| match line {
        Line::Text(text) => engine.receive(text, clock::now()),
        Line::TooLong => engine.receive_too_long(),
    };
    while let Ok(read @ 1..) = stdout.read(&mut chunk).await {
        let mut rest = &chunk[..read];
        while let Some(line) = lines.next(&mut rest) {
            take(line);
        }
    }
    if let Some(line) = lines.finish() {
        take(line);
    }
}
