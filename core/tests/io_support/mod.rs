//! A server whose handlers answer at once, or when a test says so.
#![allow(dead_code, reason = "each test crate uses a part")]

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use omniport::engine::{Call, Engine, Event, Host, Job, ServerOptions};
use omniport::error::Error;
use omniport::io::clock;
use omniport::io::random::SystemEntropy;
use omniport::registry::tool::{Tool, ToolOptions};
use serde_json::value::RawValue;

/// Answers at once with "done".
pub const QUICK: &str = "quick";
/// Waits for [`Server::started`]'s reader to complete it.
pub const SLOW: &str = "slow";
/// Answers at once with 300 KB.
pub const BIG: &str = "big";
/// Answers with JSON over several lines.
pub const LINES: &str = "lines";
/// Writes to stdout, by itself and by a child process.
pub const STRAY: &str = "stray";

const NAMES: [&str; 5] = [QUICK, SLOW, BIG, LINES, STRAY];

pub struct Server {
    pub engine: Arc<Engine>,
    pub started: Receiver<Arc<Call>>,
    pub cancelled: Receiver<String>,
}

struct TestHost {
    engine: OnceLock<Weak<Engine>>,
    started: Mutex<Sender<Arc<Call>>>,
    cancelled: Mutex<Sender<String>>,
}

impl Server {
    pub fn new(set: impl FnOnce(&mut ServerOptions)) -> Self {
        let ((start, started), (cancel, cancelled)) = (channel(), channel());
        let host =
            Arc::new(TestHost { engine: OnceLock::new(), started: Mutex::new(start), cancelled: Mutex::new(cancel) });
        let mut options = ServerOptions::new("test", "1");
        set(&mut options);
        let limits = options.limits.clone();
        let engine =
            Engine::new(options, Arc::clone(&host) as Arc<dyn Host>, Arc::new(SystemEntropy::new()), clock::now());
        let engine = engine.unwrap();
        host.engine.set(Arc::downgrade(&engine)).unwrap();
        engine.registry.change(|catalog| {
            for (slot, name) in (0..).zip(NAMES) {
                let definition = format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
                catalog.tools.put(Tool::new(&definition, slot, ToolOptions::default(), &limits).unwrap());
            }
        });
        Self { engine, started, cancelled }
    }

    pub fn complete(&self, call: &Arc<Call>) {
        self.engine.complete(call, &text("done"), clock::now());
    }
}

pub fn text(text: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#)
}

impl Host for TestHost {
    fn start(&self, job: Job) {
        let answer = match NAMES[job.slot as usize] {
            SLOW => return self.started.lock().unwrap().send(job.call).unwrap(),
            BIG => text(&"x".repeat(300_000)),
            LINES => text("done").replace(',', ",\r\n\t"),
            STRAY => {
                stray();
                text("done")
            }
            _ => text("done"),
        };
        let engine = self.engine.get().and_then(Weak::upgrade).unwrap();
        engine.complete(&job.call, &answer, clock::now());
    }

    fn answer(&self, _: &Arc<Call>, _: u32, _: Result<Box<RawValue>, Error>) {}

    fn cancel(&self, _: &Arc<Call>, reason: &str) {
        // A test that ended does not listen any more.
        let _ = self.cancelled.lock().unwrap().send(reason.to_owned());
    }

    fn event(&self, _: Event) {}
}

fn stray() {
    use std::io::Write;
    std::io::stdout().write_all(b"stray from the process\n").unwrap();
    std::io::stdout().flush().unwrap();
    let child = std::process::Command::new("sh").args(["-c", "echo stray from a child; cat"]).status();
    assert!(child.unwrap().success());
}

/// A modern call of a tool, without line end.
pub fn call(id: u32, tool: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"t","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}
