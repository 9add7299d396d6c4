//! A client that tells the test everything, and server processes in a few lines.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use omniport::engine::client::{
    AskKind, CallOptions, Change, ClientHost, ClientOptions, ClientState, Operation, Token,
};
use omniport::error::Error;
use omniport::io::child::ChildSpec;
use omniport::io::client::ClientConnection;
use omniport::io::client_stdio::connect_command;
use omniport::io::clock;
use omniport::model::Level;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Longer than anything here takes on a busy machine.
const FOR_EVER: Duration = Duration::from_secs(120);

#[derive(Debug)]
pub enum Told {
    Result(Token, Result<Box<RawValue>, Error>),
    Stderr(String),
    Report(String),
    Log,
    Closed(Error),
}

/// A host that hands everything on.
pub struct Teller(pub UnboundedSender<Told>);

impl Teller {
    fn tell(&self, told: Told) {
        // A test that is over does not listen.
        let _ = self.0.send(told);
    }
}

impl ClientHost for Teller {
    fn result(&self, token: Token, result: Result<Box<RawValue>, Error>) {
        self.tell(Told::Result(token, result));
    }

    fn progress(&self, _: Token, _: Box<RawValue>) {}

    fn log(&self, _: Option<Token>, _: Box<RawValue>) {
        self.tell(Told::Log);
    }

    fn change(&self, _: Change) {}

    fn ask(&self, _: u64, _: AskKind, _: Box<RawValue>) {}

    fn withdrawn(&self, _: u64) {}

    fn state(&self, _: ClientState) {}

    fn closed(&self, error: Error) {
        self.tell(Told::Closed(error));
    }

    fn report(&self, _: Level, text: String) {
        self.tell(Told::Report(text));
    }

    fn stderr(&self, line: &str) {
        self.tell(Told::Stderr(line.to_owned()));
    }
}

/// A client under test.
pub struct Client {
    pub connection: ClientConnection,
    told: UnboundedReceiver<Told>,
    early: Vec<Told>,
}

impl Client {
    pub fn start(spec: ChildSpec, options: ClientOptions) -> Self {
        let (sender, told) = unbounded_channel();
        let connection = connect_command(&Handle::current(), options, spec, Arc::new(Teller(sender)));
        Self { connection, told, early: Vec::new() }
    }

    /// Connects, or says why not.
    pub async fn open(spec: ChildSpec, options: ClientOptions) -> Result<Self, Error> {
        let mut client = Self::start(spec, options);
        let opened = client.connection.opened;
        match client.result(opened).await {
            Ok(_) => Ok(client),
            Err(error) => {
                client.close().await;
                Err(error)
            }
        }
    }

    /// Takes the first thing told, now or later, that is wanted.
    pub async fn told(&mut self, wanted: impl Fn(&Told) -> bool) -> Told {
        if let Some(place) = self.early.iter().position(&wanted) {
            return self.early.remove(place);
        }
        let wait = async {
            loop {
                let told = self.told.recv().await.expect("the host lives as long as its client");
                if wanted(&told) {
                    return told;
                }
                self.early.push(told);
            }
        };
        tokio::time::timeout(FOR_EVER, wait).await.expect("nothing hangs")
    }

    pub async fn result(&mut self, token: Token) -> Result<Value, Error> {
        match self.told(|told| matches!(told, Told::Result(of, _) if *of == token)).await {
            Told::Result(_, result) => result.map(|raw| serde_json::from_str(raw.get()).unwrap()),
            other => panic!("{other:?}"),
        }
    }

    /// The next line of stderr.
    pub async fn stderr(&mut self) -> String {
        match self.told(|told| matches!(told, Told::Stderr(_))).await {
            Told::Stderr(line) => line,
            other => panic!("{other:?}"),
        }
    }

    pub fn call(&self, operation: Operation, params: &str) -> Token {
        self.connection.engine.start(operation, params, CallOptions::default(), clock::now())
    }

    pub async fn close(self) {
        tokio::time::timeout(FOR_EVER, self.connection.close()).await.expect("the end is bounded");
    }
}

pub fn options() -> ClientOptions {
    ClientOptions::new("test", "1")
}

pub fn command(argv: &[&str]) -> ChildSpec {
    ChildSpec { argv: argv.iter().map(|&text| text.to_owned()).collect(), ..ChildSpec::default() }
}

/// A legacy server in a few lines of shell: runs `before`, serves until its input ends, then runs `after`. What it prints besides the
/// protocol goes to stderr.
pub fn shell(before: &str, after: &str) -> ChildSpec {
    let serve = r#"eval "$1" >&2
while read -r line; do
rest=${line#*'"id":'}; id='{"jsonrpc":"2.0","id":'${rest%%,*}
case "$line" in
*'"server/discover"'*) echo "$id"',"error":{"code":-32601,"message":"no"}}';;
*'"initialize"'*) echo "$id"',"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"sh","version":"1"}}}';;
esac; done
eval "$2" >&2"#;
    command(&["sh", "-c", serve, "sh", before, after])
}

/// `server.py` in one of its modes.
pub fn python(mode: &str) -> ChildSpec {
    command(&["python3", "-c", include_str!("server.py"), mode])
}

/// Whether a process runs; a zombie does not.
pub fn runs(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// A folder of one test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("omniport-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file from another process: a file that this one still has open for writing, by way of a fork, cannot be run.
    pub fn write(&self, name: &str, text: &str, mode: &str) -> String {
        let path = self.0.join(name).display().to_string();
        let script = r#"printf %s "$1" >"$0" && chmod "$2" "$0""#;
        let status = std::process::Command::new("sh").args(["-c", script, &path, text, mode]).status().unwrap();
        assert!(status.success());
        path
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_default()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
