//! The command line.

use std::time::Duration;

use crate::fault::{Fault, Result};
use crate::request::{Era, What};

pub struct Options {
    pub mode: String,
    /// `HOST:PORT` of the HTTP modes.
    pub address: String,
    /// The server to spawn, of the other modes.
    pub command: Vec<String>,
    pub era: Era,
    pub what: What,
    pub connections: usize,
    pub depth: usize,
    pub count: usize,
    pub seconds: Duration,
    /// Load before the clock starts.
    pub warm: Duration,
    /// The server's process: its CPU time and memory are reported.
    pub pid: Option<u32>,
    /// How many tools a full listing must have.
    pub tools: usize,
}

impl Options {
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Options> {
        let mut options = Options {
            mode: words.next().unwrap_or_default(),
            address: String::new(),
            command: Vec::new(),
            era: Era::Modern,
            what: What::Add,
            connections: 1,
            depth: 1,
            count: 1,
            seconds: Duration::from_secs(2),
            warm: Duration::from_millis(200),
            pid: None,
            tools: 0,
        };
        while let Some(word) = words.next() {
            if word == "--" {
                options.command = words.by_ref().collect();
                break;
            }
            let Some(name) = word.strip_prefix("--") else {
                options.address = word;
                continue;
            };
            let value = words.next().ok_or_else(|| Fault(format!("{word} needs a value")))?;
            match name {
                "era" => options.era = value.parse()?,
                "what" => options.what = value.parse()?,
                "connections" => options.connections = number(&word, &value)?,
                "depth" => options.depth = number(&word, &value)?,
                "count" => options.count = number(&word, &value)?,
                "seconds" => options.seconds = time(&word, &value)?,
                "warm" => options.warm = time(&word, &value)?,
                "pid" => options.pid = Some(number(&word, &value)?),
                "tools" => options.tools = number(&word, &value)?,
                _ => return Err(Fault(format!("unknown option {word}"))),
            }
        }
        let served = matches!(options.mode.as_str(), "http" | "sessions");
        if served == options.address.is_empty() || served != options.command.is_empty() {
            return Err(Fault("http and sessions take HOST:PORT; stdio and cold take -- COMMAND...".into()));
        }
        Ok(options)
    }
}

fn number<T: std::str::FromStr>(word: &str, value: &str) -> Result<T> {
    value.parse().map_err(|_| Fault(format!("{word} takes a number, not {value:?}")))
}

fn time(word: &str, value: &str) -> Result<Duration> {
    number::<f64>(word, value)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).map_err(|error| Fault(format!("{word}: {error}"))))
}
