//! Server processes: a group of their own, a safe environment, a drained stderr, and an end that leaves nothing behind.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#shutdown>.
//!
//! | file | holds |
//! |---|---|
//! | `environment` | what a process inherits |
//! | `explain` | why a process could not be started |
//! | `stderr` | what it says besides the protocol |
//! | `unix`, `windows` | the process and all it started, as one thing that can be waited for and ended |

use std::fmt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::time;

use crate::error::{Error, ErrorKind, Result};

mod environment;
mod explain;
mod stderr;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use stderr::Stderr;
#[cfg(unix)]
use unix::Process;
#[cfg(windows)]
use windows::Process;

/// How long the exit code of a process whose output ended, and the rest of its stderr, are waited for; calls fail then (W23).
const FACTS_WAIT: Duration = Duration::from_millis(500);

/// Whether this system lets a program start another one. On iOS and its kin none may; the cfg lets that be checked elsewhere.
const ALLOWED: bool = !cfg!(any(all(target_vendor = "apple", not(target_os = "macos")), omniport_no_children));

/// How a server process is started. There is no shell: each argument arrives as it is written (security 19, 36).
#[derive(Clone, Default)]
pub struct ChildSpec {
    /// The program and its arguments. A program without a slash is looked for in the `PATH` that the process is given.
    pub argv: Vec<String>,
    /// Added to the inherited variables; the same name replaces.
    pub env: Vec<(String, String)>,
    /// The working directory; this process's own otherwise.
    pub cwd: Option<PathBuf>,
}

/// Names what may be in a log: the program, and the names of variables (Y28).
impl fmt::Debug for ChildSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        let program = self.argv.first().map_or("", String::as_str);
        f.debug_struct("ChildSpec")
            .field("program", &explain::shown(program))
            .field("env", &names)
            .field("cwd", &self.cwd)
            .finish()
    }
}

/// Who takes the lines of a process's stderr, each without its end.
pub type StderrLine = Arc<dyn Fn(&str) + Send + Sync>;

/// A server process and everything it started, unless that left the process group (`setsid`): such a daemon is on its own. Dropped, all
/// of it is killed at once.
pub struct Child {
    process: Process,
    program: String,
    stderr: Stderr,
}

impl Child {
    /// Starts the process. Must be called inside a Tokio runtime. `told` gets its stderr line by line, in a task of its own: while it
    /// is slow, lines are dropped and counted.
    ///
    /// # Errors
    /// `Io` that names the program, never its arguments or variables (Y28), and says what is wrong with it (C06). `can_retry` says that
    /// only resources were short.
    pub fn spawn(spec: &ChildSpec, told: StderrLine) -> Result<(Self, ChildStdin, ChildStdout)> {
        let Some((program, arguments)) = spec.argv.split_first().filter(|(program, _)| !program.is_empty()) else {
            return Err(Error::invalid_params("the command is empty"));
        };
        if !ALLOWED {
            let program = explain::shown(program);
            return Err(Error::new(
                ErrorKind::Io,
                format!("the server `{program}` cannot be started: apps of this system start no programs"),
            ));
        }
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(environment::inherited());
        command.envs(spec.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = &spec.cwd {
            command.current_dir(cwd);
        }
        let mut process = Process::spawn(command).map_err(|error| explain::failure(spec, program, error))?;
        let Some((stdin, stdout, stderr)) = process.take_pipes() else {
            return Err(Error::internal("a pipe of the server process is missing"));
        };
        let child = Self { process, program: explain::shown(program).into(), stderr: Stderr::drain(stderr, told) };
        Ok((child, stdin, stdout))
    }

    /// Ends a moment after the process failed, though others that it started may hold its output open. A launcher that exits without a
    /// failure has done its work, and its server goes on.
    pub async fn failed(&mut self) {
        let exited = self.process.exited(Duration::MAX).await;
        if exited.is_some_and(|status| status.success()) {
            std::future::pending::<()>().await;
        }
        // What is in the pipe still counts.
        time::sleep(FACTS_WAIT).await;
    }

    /// Why its output ended, with every fact that can be had soon: exit code or signal, and the last lines of stderr (W23). `noise` is
    /// what it printed instead of a message, if it never sent one.
    pub async fn why(&mut self, noise: Option<&str>) -> Error {
        let exited = self.process.exited(FACTS_WAIT).await;
        // Who closed its output and runs on says nothing final.
        let stderr = self.stderr.last_lines(if exited.is_some() { FACTS_WAIT } else { Duration::ZERO }).await;
        let before = if noise.is_some() { " before it sent any message" } else { "" };
        let what = match exited {
            Some(status) => format!("the server `{}` ended{before}: {status}", self.program),
            None => format!("the server `{}` closed its output{before} and still runs", self.program),
        };
        let mut error = Error::new(ErrorKind::Closed, what).with("command", &self.program);
        if let Some(code) = exited.and_then(|status| status.code()) {
            error = error.with("exit", code);
        }
        if let Some(signal) = exited.and_then(signal_of) {
            error = error.with("signal", signal);
        }
        if !stderr.is_empty() {
            error = error.with("stderr", stderr);
        }
        match noise.map(str::trim) {
            None | Some("") => error,
            Some(noise) => error.with("stdout", noise),
        }
    }

    /// The program's name, as errors say it.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Ends the process and its group, after its input was closed: waits for `grace`, sends SIGTERM, waits again, kills (C03). The wait
    /// comes first, since a wrapper may pass on the end of the input and no signal (Y10). A group that outlives its leader is ended the
    /// same way (C01).
    pub async fn end(mut self, grace: Duration) {
        if !self.process.gone(grace).await {
            self.process.ask_to_exit();
            if !self.process.gone(grace).await {
                self.process.kill();
                // So that no zombie stays.
                self.process.gone(grace).await;
            }
        }
        // What it said at last is told too; who holds the pipe without being in the group is not waited for.
        self.stderr.drained(FACTS_WAIT).await;
    }
}

/// Waits, but not longer than that.
async fn within<T>(patience: Duration, what: impl Future<Output = T>) -> Option<T> {
    time::timeout(patience, what).await.ok()
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}
