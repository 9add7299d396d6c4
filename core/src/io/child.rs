//! Server processes: a group of their own, a safe environment, a drained stderr, and an end that leaves nothing behind.
//! See <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#shutdown>.

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time;

use crate::error::{Error, ErrorKind, Result};

/// Bytes of stderr that are kept for an error to quote.
const TAIL: usize = 4 << 10;
/// How long the exit code of a process whose output ended is waited for.
const EXIT_CODE_WAIT: Duration = Duration::from_millis(300);
/// How often it is looked whether a process group is gone.
#[cfg(unix)]
const POLL: Duration = Duration::from_millis(10);

/// What a process inherits unless it is given: what programs need to start, and no secret of this process (C07).
#[cfg(unix)]
const INHERITED: &[&str] =
    &["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
#[cfg(not(unix))]
const INHERITED: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// How a server process is started. There is no shell: each argument arrives as it is written (security 19).
#[derive(Clone, Debug, Default)]
pub struct ChildSpec {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Added to the inherited variables; the same name replaces.
    pub env: Vec<(String, String)>,
    /// The working directory; this process's own otherwise.
    pub cwd: Option<PathBuf>,
}

/// A server process. Dropped, its whole group is killed at once.
pub struct Child {
    process: Box<dyn ChildWrapper>,
    program: String,
    #[cfg(unix)]
    group: Option<i32>,
    tail: Arc<Mutex<Vec<u8>>>,
    exited: Option<ExitStatus>,
}

impl Child {
    /// Starts the process. Must be called inside a Tokio runtime.
    ///
    /// # Errors
    /// `Io` that names the program, also when it does not exist or may not be run (C06).
    pub fn spawn(spec: &ChildSpec) -> Result<(Self, ChildStdin, ChildStdout)> {
        let Some((program, arguments)) = spec.argv.split_first() else {
            return Err(Error::invalid_params("the command is empty"));
        };
        let failed = |error: std::io::Error| {
            let text = format!("the server `{program}` cannot be started: {error}");
            Error::new(ErrorKind::Io, text).with("command", program).caused_by(error)
        };
        let mut command = CommandWrap::with_new(program, |command| {
            command
                .args(arguments)
                .env_clear()
                .envs(inherited())
                .envs(spec.env.iter().map(|(name, value)| (name, value)));
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            if let Some(cwd) = &spec.cwd {
                command.current_dir(cwd);
            }
        });
        command.wrap(KillOnDrop);
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        let mut process = command.spawn().map_err(failed)?;
        let missing = || Error::internal("a pipe of the server process is missing");
        let stdin = process.stdin().take().ok_or_else(missing)?;
        let stdout = process.stdout().take().ok_or_else(missing)?;
        let tail = Arc::<Mutex<Vec<u8>>>::default();
        if let Some(stderr) = process.stderr().take() {
            tokio::spawn(drain(stderr, Arc::clone(&tail)));
        }
        let child = Self {
            #[cfg(unix)]
            group: process.id().and_then(|id| i32::try_from(id).ok()),
            process,
            program: program.clone(),
            tail,
            exited: None,
        };
        Ok((child, stdin, stdout))
    }

    /// Why its output ended, with every fact that can be had soon: exit code or signal, and the last lines of stderr (W23).
    pub async fn why(&mut self) -> Error {
        self.wait(EXIT_CODE_WAIT).await;
        let what = match self.exited {
            Some(status) => format!("the server `{}` ended: {status}", self.program),
            None => format!("the server `{}` closed its output", self.program),
        };
        let mut error = Error::new(ErrorKind::Closed, what).with("command", &self.program);
        if let Some(code) = self.exited.and_then(|status| status.code()) {
            error = error.with("exit", code);
        }
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&tail);
        match text.trim() {
            "" => error,
            text => error.with("stderr", text),
        }
    }

    /// Ends the process and its group, after its input was closed: waits for `grace`, sends SIGTERM, waits again, kills (C03).
    /// A group that outlives its leader is ended the same way (C01).
    pub async fn end(mut self, grace: Duration) {
        self.wait(grace).await;
        #[cfg(unix)]
        if self.is_alive() {
            self.signal(libc::SIGTERM);
            let deadline = time::Instant::now() + grace;
            while self.is_alive() && time::Instant::now() < deadline {
                self.wait(POLL).await;
                time::sleep(POLL).await;
            }
        }
        // What is left is killed by the drop; the leader is waited for, so that no zombie stays.
        self.kill();
        self.wait(grace).await;
    }

    /// Waits for the leader; at most that long.
    async fn wait(&mut self, time: Duration) {
        if self.exited.is_none()
            && let Ok(Ok(status)) = time::timeout(time, self.process.wait()).await
        {
            self.exited = Some(status);
        }
    }

    #[cfg(unix)]
    fn signal(&self, signal: i32) {
        if let Some(group) = self.group {
            // SAFETY: takes two integers and touches no memory. The group is that of a process this one started in a group of its
            // own; while any member lives, the system gives its number to nobody else.
            unsafe { libc::killpg(group, signal) };
        }
    }

    /// Whether any member of the group is left.
    #[cfg(unix)]
    fn is_alive(&self) -> bool {
        // SAFETY: as in `signal`; signal 0 only asks.
        self.exited.is_none() || self.group.is_some_and(|group| unsafe { libc::killpg(group, 0) } == 0)
    }

    #[cfg(unix)]
    fn kill(&mut self) {
        if self.is_alive() {
            self.signal(libc::SIGKILL);
        }
    }

    #[cfg(not(unix))]
    fn kill(&mut self) {
        if self.exited.is_none() {
            // It may have exited just now.
            let _ = self.process.start_kill();
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

#[allow(clippy::disallowed_methods, reason = "this is where a child's environment comes from")]
fn inherited() -> impl Iterator<Item = (&'static str, std::ffi::OsString)> {
    INHERITED.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)))
}

/// Reads stderr to its end, whatever comes: a full pipe would stop the server (C04). Only the end of it is kept.
async fn drain(mut stderr: ChildStderr, tail: Arc<Mutex<Vec<u8>>>) {
    let mut chunk = vec![0; 16 << 10];
    while let Ok(read @ 1..) = stderr.read(&mut chunk).await {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(&chunk[..read]);
        let surplus = tail.len().saturating_sub(TAIL);
        tail.drain(..surplus);
    }
}
