//! The client of Rust users, over every carrier.

use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

use omniport::api::client::{Client, Target};
use omniport::engine::{Call, Engine, Event, Host, Job, Notice, ServerOptions};
use omniport::entropy::Entropy;
use omniport::error::{Error, ErrorKind};
use omniport::io::child::ChildSpec;
use omniport::io::clock;
use omniport::limits::Limits;
use omniport::registry::tool::{Tool, ToolOptions};
use omniport::types::ElicitResult;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// A legacy server in four lines of shell; `$1` runs before it, and its output is not the protocol's.
fn shell(before: &str) -> Target {
    let script = r#"eval "$0" >&2
while read -r line; do case "$line" in
*'"server/discover"'*) echo 'not JSON'; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}';;
*'"initialize"'*) echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"sh","version":"1"},"instructions":"'$pid'"}}';;
*'"tools/list"'*) echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}},{"name":7}]}}';;
esac; done"#;
    Target::command(["sh", "-c", script, before])
}

#[tokio::test]
async fn c04_a_server_process_is_used_and_ends() {
    // A flood on stderr stops nobody.
    let client = Client::connect(shell("head -c 10000000 /dev/zero")).await.unwrap();
    let tools = client.list_tools().await.unwrap();
    assert_eq!(
        tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(),
        ["t"],
        "Y14: the other tool is no tool"
    );
    client.close().await;
}

#[tokio::test]
async fn w23_c06_a_process_that_ends_says_why() {
    let error = Client::connect(Target::command(["sh", "-c", "read line; echo boom >&2; exit 3"])).await.err().unwrap();
    assert_eq!((error.kind(), error.fact("exit"), error.fact("stderr")), (ErrorKind::Closed, Some("3"), Some("boom")));
    let error = Client::connect(Target::command(["/nonexistent/server"])).await.err().unwrap();
    assert_eq!((error.kind(), error.fact("command")), (ErrorKind::Io, Some("/nonexistent/server")));
    let error = Client::connect(Target::command(["sh", "-c", "exec >&-; sleep 100"])).await.err().unwrap();
    assert!(error.message().contains("closed its output"), "{error}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn c01_grandchildren_end_with_their_server() {
    let client = Client::connect(shell("sleep 1000 & pid=$!")).await.unwrap();
    let pid = client.server().instructions.unwrap();
    let alive = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    assert!(alive());
    client.close().await;
    assert!(!alive());
}

#[tokio::test]
async fn c03_a_server_that_ignores_everything_is_killed() {
    let Target::Command(mut spec) = shell("trap '' TERM") else { unreachable!() };
    spec.argv[2].push_str("\nwhile :; do sleep 1; done");
    let builder = Client::builder(spec).limits(|limits| limits.child_exit = Duration::from_millis(50));
    let client = builder.connect().await.unwrap();
    tokio::time::timeout(Duration::from_secs(20), client.close()).await.unwrap();
}

#[tokio::test]
async fn c07_a_process_inherits_no_secrets_and_gets_what_it_is_given() {
    let argv = ["sh", "-c", "read line; env >&2; exit 1"].map(ToOwned::to_owned).to_vec();
    let spec = ChildSpec { argv, env: vec![("OMNIPORT_GIVEN".into(), "ä\nb".into())], cwd: Some("/".into()) };
    let error = Client::connect(Target::Command(spec)).await.err().unwrap();
    let env = error.fact("stderr").unwrap();
    assert!(env.contains("OMNIPORT_GIVEN=ä\nb") && env.contains("PATH="), "{env}");
    assert!(env.contains("PWD=/\n") || env.ends_with("PWD=/"), "{env}");
    assert!(!env.contains("CARGO_"), "{env}");
}

/// One tool, `ask`, which asks who the client is.
#[derive(Default)]
struct Tools(OnceLock<Weak<Engine>>);

impl Tools {
    fn engine(&self) -> Arc<Engine> {
        self.0.get().and_then(Weak::upgrade).unwrap()
    }
}

impl Host for Tools {
    fn start(&self, job: Job) {
        let engine = self.engine();
        job.call.notice(Notice::Progress { progress: 1.0, total: None, message: None });
        engine
            .ask(&job.call, r#"{"elicit":{"message":"who?","requestedSchema":{"type":"object","properties":{}}}}"#)
            .unwrap();
        engine.flush_call(&job.call, clock::now());
    }

    fn answer(&self, call: &Arc<Call>, _: u32, answer: Result<Box<RawValue>, Error>) {
        let text = format!(r#"{{"structuredContent":{}}}"#, answer.unwrap().get());
        self.engine().complete(call, &text, clock::now());
    }

    fn cancel(&self, _: &Arc<Call>, _: &str) {}

    fn event(&self, _: Event) {}
}

struct Fixed;

impl Entropy for Fixed {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

#[tokio::test]
async fn a_server_of_this_process_is_a_server_like_any_other() {
    let tools = Arc::<Tools>::default();
    let engine = Engine::new(ServerOptions::new("here", "1"), tools.clone(), Arc::new(Fixed), clock::now()).unwrap();
    tools.0.set(Arc::downgrade(&engine)).unwrap();
    let definition = r#"{"name":"ask","inputSchema":{"type":"object"}}"#;
    let tool = Tool::new(definition, 0, ToolOptions::default(), &Limits::default()).unwrap();
    engine.registry.change(|catalog| catalog.tools.put(tool));
    let builder = Client::builder(Target::Server(engine)).on_elicit(|form| async move {
        assert_eq!(form.message, "who?");
        ElicitResult::accept(json!({}))
    });
    let client = builder.connect().await.unwrap();
    let result = client.call_tool("ask", json!({})).await.unwrap();
    assert_eq!(result.structured_content.unwrap()["action"], "accept");
    client.ping().await.unwrap();
    assert_eq!(client.call_tool("ask", json!([1])).await.unwrap_err().kind(), ErrorKind::InvalidParams);
    client.close().await;
}

/// Answers every request of a connection with the next body; says what was asked.
async fn http_server(bodies: Vec<&'static str>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let seen = Arc::<Mutex<Vec<String>>>::default();
    let log = Arc::clone(&seen);
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        for body in bodies {
            let mut request = Vec::new();
            let mut byte = [0];
            while !request.ends_with(b"\r\n\r\n") {
                if stream.read(&mut byte).await.unwrap_or(0) == 0 {
                    return;
                }
                request.push(byte[0]);
            }
            let head = String::from_utf8(request).unwrap().to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
            stream.read_exact(&mut vec![0; length]).await.unwrap();
            log.lock().unwrap().push(head);
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (url, seen)
}

#[tokio::test]
async fn a_server_behind_a_socket_keeps_one_connection() {
    let discover = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}}"#;
    let call = r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"3"}]}}"#;
    let (url, seen) = http_server(vec![discover, call]).await;
    let client = Client::connect(Target::url(url)).await.unwrap();
    let result = client.call_tool("add", json!({"a": 1, "b": 2})).await.unwrap();
    assert_eq!(result.content.len(), 1);
    client.close().await;
    let seen = seen.lock().unwrap();
    assert!(seen[1].contains("mcp-method: tools/call") && seen[1].contains("mcp-name: add"), "{seen:?}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_error_at_once() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let error = Client::connect(Target::url(url)).await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Io);
    let error = Client::connect(Target::url("not a url")).await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidParams);
}
