//! A process that leads a group of its own, and whatever else is in that group.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time;

use super::within;

/// How often it is looked whether a group is gone: at first, and when it takes long.
const POLL: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(50));
/// How often the end of a process that was killed is looked for while it is dropped, a millisecond apart.
const LAST_LOOKS: usize = 100;

/// A leader and its group.
pub(super) struct Process {
    leader: tokio::process::Child,
    /// The number of the group; none when nothing is left of it, as the number may be another group's then.
    group: Option<libc::pid_t>,
    /// The leader is gone.
    is_over: bool,
    /// How it ended; not known where this process ignores SIGCHLD, as its children leave no trace then.
    exited: Option<ExitStatus>,
}

impl Process {
    /// Starts the command as the leader of a group.
    pub fn spawn(mut command: Command) -> io::Result<Self> {
        command.process_group(0).kill_on_drop(true);
        // Here a pipe is marked as not inherited a moment after it was made. A server that inherits the input of another one would
        // keep that from ever seeing its end.
        #[cfg(target_vendor = "apple")]
        let _one_at_a_time = {
            static SPAWNING: std::sync::Mutex<()> = std::sync::Mutex::new(());
            SPAWNING.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
        };
        let leader = command.spawn()?;
        let group = leader.id().and_then(|id| libc::pid_t::try_from(id).ok());
        Ok(Self { leader, group, is_over: false, exited: None })
    }

    /// Its three pipes, once.
    pub fn take_pipes(&mut self) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
        Some((self.leader.stdin.take()?, self.leader.stdout.take()?, self.leader.stderr.take()?))
    }

    /// How the leader ended; waits at most that long for it.
    pub async fn exited(&mut self, patience: Duration) -> Option<ExitStatus> {
        if !self.is_over
            && let Some(outcome) = within(patience, self.leader.wait()).await
        {
            self.is_over = true;
            self.exited = outcome.ok();
        }
        self.exited
    }

    /// Whether the whole group is gone; waits at most that long for it.
    pub async fn gone(&mut self, patience: Duration) -> bool {
        let deadline = time::Instant::now() + patience;
        self.exited(patience).await;
        let (mut pause, longest) = POLL;
        while self.is_alive() {
            let left = deadline.saturating_duration_since(time::Instant::now());
            if left.is_zero() {
                return false;
            }
            time::sleep(pause.min(left)).await;
            pause = (pause * 2).min(longest);
        }
        true
    }

    /// Sends SIGTERM to the group.
    pub fn ask_to_exit(&mut self) {
        self.signal(libc::SIGTERM);
    }

    /// Sends SIGKILL to the group.
    pub fn kill(&mut self) {
        self.signal(libc::SIGKILL);
    }

    fn signal(&mut self, signal: libc::c_int) {
        if self.is_alive()
            && let Some(group) = self.group
        {
            // SAFETY: takes two integers and touches no memory. The group is that of a process this one started in a group of its
            // own; while any member lives, the system gives its number to nobody else.
            unsafe { libc::killpg(group, signal) };
        }
    }

    /// Looks whether the leader is gone.
    fn look(&mut self) {
        self.is_over = self.is_over || !matches!(self.leader.try_wait(), Ok(None));
    }

    /// Whether any member of the group runs.
    fn is_alive(&mut self) -> bool {
        if !self.is_over {
            return true;
        }
        let Some(group) = self.group else { return false };
        // Orphans come to this process where it is the first one of a container. The leader is not among them any more.
        // SAFETY: a null pointer says that the status is not wanted.
        while unsafe { libc::waitpid(-group, std::ptr::null_mut(), libc::WNOHANG) } > 0 {}
        // SAFETY: as in `signal`; signal 0 only asks.
        let alive = unsafe { libc::killpg(group, 0) } == 0 && any_runs(group);
        if !alive {
            self.group = None;
        }
        alive
    }
}

impl Drop for Process {
    /// Kills what is left, without a runtime and at once: one may be just what is going away (C03).
    #[allow(
        clippy::disallowed_methods,
        reason = "a destructor cannot await, and a killed process takes a moment to end"
    )]
    fn drop(&mut self) {
        self.look();
        if !self.is_alive() {
            return;
        }
        self.kill();
        for _ in 0..LAST_LOOKS {
            if self.is_over {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
            self.look();
        }
    }
}

/// Whether a member of the group is more than a zombie. In a container whose first process reaps no orphans, zombies stay members for
/// ever, and nobody can end them.
#[cfg(target_os = "linux")]
fn any_runs(group: libc::pid_t) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return true };
    processes.flatten().any(|process| {
        let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        // The name in the second field may hold anything, and ends at the last parenthesis.
        let mut fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ');
        let (state, member_of) = (fields.next(), fields.nth(1));
        member_of.and_then(|of| of.parse().ok()) == Some(group) && !matches!(state, Some("Z" | "X"))
    })
}

/// Elsewhere a group of zombies takes no signal.
#[cfg(not(target_os = "linux"))]
fn any_runs(_: libc::pid_t) -> bool {
    true
}
