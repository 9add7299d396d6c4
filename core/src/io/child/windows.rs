//! A process and all it starts, in a job object: when the job ends, everything in it does.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, JobObject, KillOnDrop};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use super::within;

/// A process and its job. Dropped, the job ends.
pub(super) struct Process {
    job: Box<dyn ChildWrapper>,
    exited: Option<ExitStatus>,
}

impl Process {
    /// Starts the command in a job.
    pub fn spawn(command: Command) -> io::Result<Self> {
        let mut command = CommandWrap::from(command);
        command.wrap(KillOnDrop).wrap(JobObject);
        Ok(Self { job: command.spawn()?, exited: None })
    }

    /// Its three pipes, once.
    pub fn take_pipes(&mut self) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
        Some((self.job.stdin().take()?, self.job.stdout().take()?, self.job.stderr().take()?))
    }

    /// How the process ended; waits at most that long for it.
    pub async fn exited(&mut self, patience: Duration) -> Option<ExitStatus> {
        if self.exited.is_none() {
            // Of the process alone: what it started may go on.
            self.exited = within(patience, self.job.inner_mut().wait()).await.and_then(Result::ok);
        }
        self.exited
    }

    /// Whether the whole job is done; waits at most that long for it.
    pub async fn gone(&mut self, patience: Duration) -> bool {
        within(patience, self.job.wait()).await.is_some()
    }

    /// There is no polite way to end a process without a window.
    pub fn ask_to_exit(&mut self) {}

    /// Ends the job.
    pub fn kill(&mut self) {
        // It may have ended just now.
        let _ = self.job.start_kill();
    }
}
