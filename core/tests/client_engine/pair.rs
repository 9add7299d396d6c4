//! A client engine and a server engine, and what carries messages between them.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use bytes::Bytes;
use http::Response;
use omniport::engine::client::ClientOptions;
use omniport::engine::http::{HttpOptions, Ticket};
use omniport::engine::{Call, Connection, Engine, Event, Host, Job, JobKind, Notice, ServerOptions};
use omniport::entropy::Entropy;
use omniport::error::{Error, ErrorKind};
use omniport::limits::Limits;
use omniport::protocol::http::origin::{OriginPolicy, OriginSettings};
use omniport::protocol::http::reply::HttpReply;
use omniport::protocol::sink::{Frame, Message, Sink};
use omniport::registry::prompt::Prompt;
use omniport::registry::resource::Resource;
use omniport::registry::tool::{Tool, ToolOptions};
use omniport::time::Now;
use serde_json::value::RawValue;

use super::recorder::{Client, Lines, Requests, over_http, over_lines};

pub const URL: &str = "http://127.0.0.1:8000/mcp";

/// Answers from a fixed sequence, so that a test always sees the same.
struct Counter(Mutex<u8>);

impl Entropy for Counter {
    fn fill(&self, bytes: &mut [u8]) {
        let mut last = self.0.lock().unwrap();
        for byte in bytes {
            *last = last.wrapping_add(1);
            *byte = *last;
        }
    }
}

/// Runs the tools of the test server: `echo`, `ask`, `steps` and `wait`.
#[derive(Default)]
pub struct Tools {
    engine: OnceLock<Weak<Engine>>,
    jobs: Mutex<VecDeque<Job>>,
    answers: Mutex<VecDeque<(Arc<Call>, Result<Box<RawValue>, Error>)>>,
    held: Mutex<Vec<Arc<Call>>>,
    pub cancelled: Mutex<usize>,
}

impl Host for Tools {
    fn start(&self, job: Job) {
        self.jobs.lock().unwrap().push_back(job);
    }

    fn answer(&self, call: &Arc<Call>, _: u32, answer: Result<Box<RawValue>, Error>) {
        self.answers.lock().unwrap().push_back((Arc::clone(call), answer));
    }

    fn cancel(&self, _: &Arc<Call>, _: &str) {
        *self.cancelled.lock().unwrap() += 1;
    }

    fn event(&self, _: Event) {}
}

impl Tools {
    /// Runs one handler; false when there is none to run.
    fn turn(&self, now: Now) -> bool {
        let engine = self.engine.get().and_then(Weak::upgrade).unwrap();
        let answer = self.answers.lock().unwrap().pop_front();
        if let Some((call, answer)) = answer {
            let text = answer.map_or_else(|error| format!("\"{}\"", error.code()), |answer| answer.get().to_owned());
            engine.complete(&call, &format!(r#"{{"structuredContent":{{"answer":{text}}}}}"#), now);
            return true;
        }
        let Some(job) = self.jobs.lock().unwrap().pop_front() else { return false };
        let text = String::from_utf8_lossy(&job.text).into_owned();
        match (job.kind, job.slot) {
            (JobKind::Tool, 0) => engine.complete(&job.call, &format!(r#"{{"structuredContent":{text}}}"#), now),
            (JobKind::Tool, 1) => {
                let question = r#"{"elicit":{"message":"who?","requestedSchema":{"type":"object","properties":{}}}}"#;
                let (_, known) = engine.ask(&job.call, question).unwrap();
                assert!(known.is_none());
                engine.flush_call(&job.call, now);
            }
            (JobKind::Tool, 2) => {
                for step in [1.0, 2.0] {
                    job.call.notice(Notice::Progress { progress: step, total: Some(2.0), message: None });
                }
                engine.complete(&job.call, r#"{"content":[]}"#, now);
            }
            // Whoever runs a handler holds its call.
            (JobKind::Tool, _) => self.held.lock().unwrap().push(job.call),
            (JobKind::Resource, _) => engine.complete(&job.call, r#"{"contents":[{"uri":"r://é","text":"x"}]}"#, now),
            _ => engine.complete(&job.call, r#"{"messages":[]}"#, now),
        }
        true
    }
}

/// The test server.
pub struct Server {
    pub engine: Arc<Engine>,
    pub tools: Arc<Tools>,
}

pub fn server() -> Server {
    let tools = Arc::<Tools>::default();
    let entropy = Arc::new(Counter(Mutex::new(0)));
    let engine = Engine::new(ServerOptions::new("pair", "1"), tools.clone(), entropy, Now::default()).unwrap();
    tools.engine.set(Arc::downgrade(&engine)).unwrap();
    let limits = Limits::default();
    engine.registry.change(|catalog| {
        for (slot, name) in ["echo", "ask", "steps", "wait"].into_iter().enumerate() {
            let definition = format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
            catalog.tools.put(Tool::new(&definition, slot as u32, ToolOptions::default(), &limits).unwrap());
        }
        catalog.resources.put(Resource::new(r#"{"uri":"r://é","name":"r"}"#, 0, None).unwrap());
        catalog.prompts.put(Prompt::new(r#"{"name":"größe"}"#, 0).unwrap());
    });
    Server { engine, tools }
}

/// What a server sent over a stream.
#[derive(Default)]
struct ToClient(Mutex<VecDeque<Bytes>>);

impl Sink for ToClient {
    fn send(&self, frame: Frame) {
        self.0.lock().unwrap().push_back(frame.into_message().into_bytes());
    }
}

/// Client and server with something between them.
pub trait Pair {
    type Out;
    fn client(&mut self) -> &mut Client<Self::Out>;
    fn server(&self) -> &Server;
    /// Carries messages and runs handlers until nothing happens any more.
    fn settle(&mut self);
}

pub struct StreamPair {
    client: Client<Lines>,
    server: Server,
    connection: Connection,
    to_client: Arc<ToClient>,
}

impl StreamPair {
    /// The server dies, and another one is there when it is started.
    pub fn restart(&mut self) {
        self.server = server();
        self.to_client = Arc::default();
        self.connection = self.server.engine.connect(self.to_client.clone());
        self.client.engine.lost(Error::new(ErrorKind::Closed, "the server exited"), self.client.now);
    }
}

pub fn stream_pair(options: ClientOptions) -> StreamPair {
    let (client, server) = (over_lines(options), server());
    let to_client = Arc::<ToClient>::default();
    let connection = server.engine.connect(to_client.clone());
    StreamPair { client, server, connection, to_client }
}

impl Pair for StreamPair {
    type Out = Lines;

    fn client(&mut self) -> &mut Client<Lines> {
        &mut self.client
    }

    fn server(&self) -> &Server {
        &self.server
    }

    fn settle(&mut self) {
        loop {
            let (up, down) =
                (self.client.out.sent.lock().unwrap().pop_front(), self.to_client.0.lock().unwrap().pop_front());
            let idle = up.is_none() && down.is_none();
            if let Some(up) = up {
                self.connection.receive(up, self.client.now);
            }
            if let Some(down) = down {
                self.client.engine.receive(&down, self.client.now);
            }
            if !self.server.tools.turn(self.client.now) && idle {
                return;
            }
        }
    }
}

/// What an HTTP server sent.
enum Part {
    Head(http::response::Parts),
    Chunk(Bytes),
    End,
}

type Parts = Arc<Mutex<VecDeque<(u64, Part)>>>;

struct Reply {
    id: u64,
    parts: Parts,
}

impl Reply {
    fn push(&self, part: Part) {
        self.parts.lock().unwrap().push_back((self.id, part));
    }
}

impl HttpReply for Reply {
    fn respond(&self, response: Response<Message>) {
        let (head, body) = response.into_parts();
        self.push(Part::Head(head));
        self.push(Part::Chunk(body.into_bytes()));
        self.push(Part::End);
    }

    fn open(&self, head: Response<()>) {
        self.push(Part::Head(head.into_parts().0));
    }

    fn write(&self, bytes: Bytes) {
        self.push(Part::Chunk(bytes));
    }

    fn close(&self) {
        self.push(Part::End);
    }
}

pub struct HttpPair {
    client: Client<Requests>,
    server: Server,
    options: Arc<HttpOptions>,
    parts: Parts,
    tickets: HashMap<u64, Arc<Ticket>>,
    /// Method and `Mcp-Method` of every request.
    pub seen: Vec<String>,
}

pub fn http_pair(options: ClientOptions, url: &str) -> HttpPair {
    let policy = OriginPolicy::new(IpAddr::V4(Ipv4Addr::LOCALHOST), &OriginSettings::default()).unwrap();
    HttpPair {
        client: over_http(options, url),
        server: server(),
        options: Arc::new(HttpOptions::new(policy)),
        parts: Parts::default(),
        tickets: HashMap::new(),
        seen: Vec::new(),
    }
}

impl HttpPair {
    /// The server dies, with all its connections, and another one is there at once.
    pub fn restart(&mut self) {
        self.server = server();
        self.parts.lock().unwrap().clear();
        for (id, _) in std::mem::take(&mut self.tickets) {
            let error = Error::new(ErrorKind::Io, "connection reset").retryable();
            self.client.engine.http_failed(id, error, self.client.now);
        }
    }

    fn request(&mut self, id: u64, request: http::Request<Bytes>) {
        let (mut head, body) = request.into_parts();
        assert_eq!(head.headers["x-user"], "yes");
        let method = head.headers.get("mcp-method").map_or("", |value| value.to_str().unwrap()).to_owned();
        self.seen.push(format!("{} {method}", head.method));
        let authority = head.uri.authority().unwrap().to_string();
        head.headers.insert("host", authority.parse().unwrap());
        let reply = Arc::new(Reply { id, parts: Arc::clone(&self.parts) });
        match self.server.engine.check_http(&self.options, &head) {
            Some(refused) => reply.respond(refused),
            None => {
                let ticket = self.server.engine.http(&self.options, head, body, reply, self.client.now);
                self.tickets.insert(id, ticket);
            }
        }
    }
}

impl Pair for HttpPair {
    type Out = Requests;

    fn client(&mut self) -> &mut Client<Requests> {
        &mut self.client
    }

    fn server(&self) -> &Server {
        &self.server
    }

    fn settle(&mut self) {
        loop {
            for id in std::mem::take(&mut *self.client.out.aborted.lock().unwrap()) {
                if let Some(ticket) = self.tickets.remove(&id) {
                    ticket.gone();
                }
            }
            let (up, down) =
                (self.client.out.started.lock().unwrap().pop_front(), self.parts.lock().unwrap().pop_front());
            let idle = up.is_none() && down.is_none();
            if let Some((id, request)) = up {
                self.request(id, request);
            }
            let now = self.client.now;
            match down {
                Some((id, Part::Head(head))) => self.client.engine.http_head(id, head.status, &head.headers, now),
                Some((id, Part::Chunk(chunk))) => self.client.engine.http_chunk(id, &chunk, now),
                Some((id, Part::End)) => self.client.engine.http_end(id, now),
                None => {}
            }
            if !self.server.tools.turn(now) && idle {
                return;
            }
        }
    }
}
