use serde_json::value::RawValue;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::*;
use crate::engine::client::{AskKind, Change, ClientState, LineSink, Token};
use crate::model::Level;

/// Hands on lines of stderr, and why the connection was over.
struct Listener(UnboundedSender<Result<String, Error>>);

impl ClientHost for Listener {
    fn result(&self, _: Token, _: crate::error::Result<Box<RawValue>>) {}
    fn progress(&self, _: Token, _: Box<RawValue>) {}
    fn log(&self, _: Option<Token>, _: Box<RawValue>) {}
    fn change(&self, _: Change) {}
    fn ask(&self, _: u64, _: AskKind, _: Box<RawValue>) {}
    fn withdrawn(&self, _: u64) {}
    fn state(&self, _: ClientState) {}
    fn report(&self, _: Level, _: String) {}

    fn closed(&self, error: Error) {
        let _ = self.0.send(Err(error));
    }

    fn stderr(&self, line: &str) {
        let _ = self.0.send(Ok(line.to_owned()));
    }
}

type Heard = UnboundedReceiver<Result<String, Error>>;

/// A carrier of an engine that does nothing by itself: it was not told to connect.
fn carry(script: &str, queued_bytes: usize) -> (Arc<Outbox>, Heard, tokio::task::JoinHandle<()>) {
    let (sender, heard) = unbounded_channel();
    let host: Arc<dyn ClientHost> = Arc::new(Listener(sender));
    let outbox = Arc::new(Outbox::new(queued_bytes));
    let link = Link::Lines(Arc::clone(&outbox) as _);
    let engine = ClientEngine::new(ClientOptions::new("test", "1"), link, Arc::clone(&host));
    let stderr: StderrLine = Arc::new(move |line| host.stderr(line));
    let (kept, grace) = (Arc::clone(&outbox), Duration::from_millis(200));
    let carrier = Carrier { engine, outbox, stderr, message_bytes: 1 << 20, queued_bytes, grace };
    let spec = ChildSpec { argv: ["sh", "-c", script].map(Into::into).into(), ..ChildSpec::default() };
    (kept, heard, tokio::spawn(carrier.run(spec)))
}

async fn line(heard: &mut Heard) -> String {
    heard.recv().await.unwrap().unwrap()
}

/// Says its number, then every line, and ends for no polite word.
const STUBBORN: &str = "trap '' TERM; echo $$ >&2; while :; do read -r line && echo \"$line\" >&2 || sleep 0.1; done";

#[tokio::test]
async fn c11_a_process_that_is_to_restart_is_gone_before_the_next_one_starts() {
    let (outbox, mut heard, task) = carry(STUBBORN, 1 << 20);
    let first = line(&mut heard).await;
    outbox.send("one".into());
    assert_eq!(line(&mut heard).await, "one");
    outbox.send("lost".into());
    outbox.restart();
    outbox.send("two".into());
    let second = line(&mut heard).await;
    assert!(!std::path::Path::new(&format!("/proc/{first}")).exists());
    assert_eq!(line(&mut heard).await, "two", "what was for the process before is not for this one");
    outbox.restart();
    outbox.close();
    task.await.unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{second}")).exists());
}

#[tokio::test]
async fn c09_a_server_that_reads_nothing_is_given_up() {
    let (outbox, mut heard, task) = carry("echo $$ >&2; sleep 1000", 64 << 10);
    line(&mut heard).await;
    // The pipe itself holds as much as it likes.
    while outbox.order().is_none() {
        outbox.send(vec![b'x'; 16 << 10].into());
        tokio::task::yield_now().await;
    }
    let error = heard.recv().await.unwrap().unwrap_err();
    assert_eq!(error.fact("limit"), Some("queued_bytes"), "{error}");
    task.await.unwrap();
}
