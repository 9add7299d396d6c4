//! What the system knows of the server's process, and the process itself when it is our child.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::fault::{Fault, Result};

/// User and system time of the whole process. The kernel keeps the sum exactly and tells it in ticks of 10 ms.
pub fn cpu(pid: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

/// The proportional set size in KiB: what the process costs, with its share of what it shares.
pub fn memory(pid: u32) -> Option<u64> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?.split_whitespace().next()?.parse().ok()
}

/// A server on the pipes of a child.
pub struct Server {
    child: Child,
    pub input: ChildStdin,
    pub output: BufReader<ChildStdout>,
}

impl Server {
    pub fn spawn(command: &[String]) -> Result<Server> {
        let (program, arguments) = command.split_first().ok_or_else(|| Fault("no command".into()))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| Fault(format!("{program}: {error}")))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Fault("the child has no pipes".into()));
        };
        Ok(Server { child, input, output: BufReader::with_capacity(256 << 10, output) })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn send(&mut self, line: &str) -> Result<()> {
        self.input
            .write_all(format!("{line}\n").as_bytes())
            .map_err(|error| Fault(format!("the child's stdin: {error}")))
    }

    pub fn line(&mut self, into: &mut Vec<u8>) -> Result<()> {
        into.clear();
        match self.output.read_until(b'\n', into)? {
            0 => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            _ => Ok(()),
        }
    }

    /// Closes its stdin and waits; a server that does not end by itself is killed.
    pub fn end(self) -> Result<()> {
        let Server { mut child, input, output } = self;
        drop((input, output));
        let deadline = Instant::now() + Duration::from_secs(5);
        while Instant::now() < deadline {
            if child.try_wait()?.is_some() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(2));
        }
        child.kill()?;
        child.wait()?;
        Ok(())
    }
}
