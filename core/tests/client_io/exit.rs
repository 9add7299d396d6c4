//! How server processes end: politely first, and wholly in the end.

use std::time::Duration;

use omniport::engine::client::Operation;
use omniport::io::child::ChildSpec;
use serde_json::json;
use tokio::runtime::Builder;

use super::support::{Client, Folder, options, runs, shell};

/// Starts the server; what it first says on stderr is the number of a process.
async fn start(spec: ChildSpec, patience: Duration) -> (Client, String) {
    let mut options = options();
    options.limits.child_exit = patience;
    let mut client = Client::open(spec, options).await.unwrap();
    let pid = client.stderr().await;
    assert!(runs(&pid));
    (client, pid)
}

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(100);

/// A server that writes what happens to it into `$LOG`.
fn logging(folder: &Folder, before: &str, after: &str) -> ChildSpec {
    let mut spec = shell(&format!("{before}; echo $$"), after);
    spec.env.push(("LOG".into(), folder.path().join("log").display().to_string()));
    spec
}

#[tokio::test]
async fn c03_y10_a_server_that_exits_by_itself_gets_no_signal() {
    let folder = Folder::new();
    let trap = "trap 'echo TERM >>$LOG' TERM";
    let (client, pid) = start(logging(&folder, trap, "sleep 0.3; echo clean >>$LOG"), LONG).await;
    client.close().await;
    assert_eq!(folder.read("log"), "clean\n");
    assert!(!std::fs::exists(format!("/proc/{pid}")).unwrap(), "no zombie either");
}

#[tokio::test]
async fn c03_a_server_that_ignores_the_end_of_its_input_is_asked_to_exit() {
    let folder = Folder::new();
    let trap = "trap 'echo TERM >>$LOG; exit 0' TERM";
    let (client, pid) = start(logging(&folder, trap, "while :; do sleep 0.05; done"), SHORT).await;
    client.close().await;
    assert_eq!(folder.read("log"), "TERM\n");
    assert!(!std::fs::exists(format!("/proc/{pid}")).unwrap());
}

#[tokio::test]
async fn c03_a_server_that_ignores_everything_is_killed() {
    let folder = Folder::new();
    let (client, pid) = start(logging(&folder, "trap '' TERM", "while :; do sleep 0.05; done"), SHORT).await;
    client.close().await;
    assert!(!std::fs::exists(format!("/proc/{pid}")).unwrap());
}

#[tokio::test]
async fn c03_a_server_that_does_not_read_cannot_hold_up_its_end() {
    let mut options = options();
    options.limits.child_exit = SHORT;
    let mut client = Client::start(shell("echo $$; sleep 1000 & wait", ""), options);
    let pid = client.stderr().await;
    // More than a pipe holds.
    client.call(Operation::Ping, &json!({"fill": "x".repeat(1 << 20)}).to_string());
    client.close().await;
    assert!(!runs(&pid));
}

#[tokio::test]
async fn c01_c03_what_a_server_leaves_behind_ends_with_it() {
    // Forked twice: its parent is gone, and it still is in the group.
    let daemon = "( (trap '' TERM; echo $(sh -c 'echo $PPID'); exec sleep 1000) & )";
    // A wrapper as `npx` is one: the server is its child.
    let wrapper = "sleep 1000 & echo $!";
    for before in [daemon, wrapper] {
        let (client, pid) = start(shell(before, ""), SHORT).await;
        client.close().await;
        assert!(!runs(&pid), "{before}");
    }
}

#[tokio::test]
async fn c01_a_server_behind_a_wrapper_sees_the_end_of_its_input() {
    let folder = Folder::new();
    let mut spec = logging(&folder, ":", "echo clean >>$LOG");
    let server = std::mem::replace(&mut spec.argv, ["sh", "-c"].map(Into::into).into());
    spec.argv.push(r#"exec 3<&0; trap 'echo TERM >>$LOG' TERM; "$@" <&3 3<&- & exec 3<&-; wait"#.into());
    spec.argv.push("wrapper".into());
    spec.argv.extend(server);
    let (client, pid) = start(spec, LONG).await;
    client.close().await;
    assert_eq!((folder.read("log").as_str(), runs(&pid)), ("clean\n", false));
}

#[test]
fn c03_c10_a_runtime_that_is_shut_down_takes_its_servers_along() {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (client, pid) = runtime.block_on(start(shell("trap '' TERM; sleep 1000 & echo $$", "sleep 1000"), LONG));
    drop(runtime);
    assert!(!std::fs::exists(format!("/proc/{pid}")).unwrap(), "killed and reaped at once");
    assert!(client.connection.engine.is_closed(), "whoever waits for an answer knows");
}

#[tokio::test]
async fn c10_a_client_that_is_dropped_ends_its_server_in_the_background() {
    let folder = Folder::new();
    let fifo = folder.path().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    let (client, _) = start(shell("echo $$", &format!("echo clean >{}", fifo.display())), LONG).await;
    drop(client);
    // Opened and read to its end once the server has written.
    let text = tokio::task::spawn_blocking(move || std::fs::read_to_string(fifo).unwrap()).await.unwrap();
    assert_eq!(text, "clean\n");
}
