//! The HTTP server over raw sockets: who is let in, what is read, when it ends.
#![allow(clippy::unwrap_used, reason = "a helper of tests fails the test")]
#![cfg(feature = "io")]

mod io_support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use io_support::{QUICK, SLOW, Server, call};
use omniport::io::http_server::{HttpServer, HttpServerOptions};

struct Site {
    server: Server,
    http: HttpServer,
}

impl Site {
    fn open() -> Self {
        Self::with(Server::new(|_| {}), |_| {})
    }

    fn with(server: Server, set: impl FnOnce(&mut HttpServerOptions)) -> Self {
        let mut options = HttpServerOptions::new("127.0.0.1", 0);
        options.threads = Some(1);
        set(&mut options);
        let http = HttpServer::bind(&server.engine, &options).unwrap();
        Self { server, http }
    }

    fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.http.local_addr()).unwrap();
        // Head and body leave in two writes.
        stream.set_nodelay(true).unwrap();
        Client { host: self.http.local_addr().to_string(), from: BufReader::new(stream) }
    }
}

struct Client {
    host: String,
    from: BufReader<TcpStream>,
}

struct Head {
    status: u16,
    headers: String,
}

impl Head {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

impl Client {
    fn send(&mut self, bytes: &[u8]) {
        self.from.get_mut().write_all(bytes).unwrap();
    }

    /// The head of a modern call of `tool`, up to the headers that the body's framing needs.
    fn open_call(&mut self, tool: &str) {
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n",
            self.host
        );
        self.send(head.as_bytes());
    }

    fn call(&mut self, id: u32, tool: &str) {
        self.open_call(tool);
        let body = call(id, tool);
        self.send(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    fn head(&mut self) -> Head {
        let mut headers = String::new();
        while !headers.ends_with("\r\n\r\n") {
            assert_ne!(self.from.read_line(&mut headers).unwrap(), 0, "the connection ended: {headers}");
        }
        Head { status: headers[9..12].parse().unwrap(), headers }
    }

    fn answer(&mut self) -> (Head, String) {
        let head = self.head();
        let length = head.header("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).unwrap();
        (head, String::from_utf8(body).unwrap())
    }

    /// Reads on until `text` came.
    fn read_until(&mut self, text: &str) -> String {
        let mut all = String::new();
        while !all.contains(text) {
            assert_ne!(self.from.read_line(&mut all).unwrap(), 0, "the connection ended: {all}");
        }
        all
    }

    fn is_closed(&mut self) -> bool {
        matches!(self.from.read(&mut [0; 1]), Ok(0) | Err(_))
    }
}

#[test]
fn h09_host_and_origin_are_judged_on_every_route() {
    let site = Site::open();
    let port = site.http.local_addr().port();
    let hosts = [
        (format!("Host: 127.0.0.1:{port}\r\n"), true),
        (format!("Host: localhost:{port}\r\n"), true),
        (format!("Host: [::1]:{port}\r\n"), true),
        (format!("Host: LOCALHOST:{port}\r\n"), true),
        ("Host: localhost\r\n".to_owned(), true),
        (format!("Host: evil.test:{port}\r\n"), false),
        ("Host: 127.0.0.1.evil.test\r\n".to_owned(), false),
        (format!("Host: localhost:{port}.evil\r\n"), false),
        (String::new(), false),
        ("Host: localhost\r\nHost: localhost\r\n".to_owned(), false),
        (format!("Host: localhost\r\nOrigin: http://localhost:{port}\r\n"), true),
        ("Host: localhost\r\nOrigin: null\r\n".to_owned(), false),
        ("Host: localhost\r\nOrigin: http://localhost.evil.test\r\n".to_owned(), false),
        ("Host: localhost\r\nOrigin: https://evil.test\r\n".to_owned(), false),
    ];
    for route in ["/mcp", "/sse", "/messages/", "/", "/other"] {
        for verb in ["GET", "POST", "DELETE", "OPTIONS"] {
            for (headers, lets_in) in &hosts {
                let mut client = site.connect();
                client.send(format!("{verb} {route} HTTP/1.1\r\n{headers}Content-Length: 0\r\n\r\n").as_bytes());
                let (head, body) = client.answer();
                let refused = head.status == 403 || (head.status == 400 && body.contains("message\":\"request with"));
                assert_eq!(refused, !lets_in, "{verb} {route} {headers:?} was answered {}: {body}", head.status);
            }
        }
    }
}

#[test]
fn n11_two_hundred_calls_share_a_connection() {
    let site = Site::open();
    let mut client = site.connect();
    for id in 0..200 {
        client.call(id, QUICK);
        let (head, body) = client.answer();
        assert_eq!((head.status, head.header("content-type")), (200, Some("application/json")));
        assert!(body.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"#)), "{body}");
    }
}

#[test]
fn n11_pipelined_calls_are_answered_in_order() {
    let site = Site::open();
    let mut client = site.connect();
    for id in 0..50 {
        client.call(id, QUICK);
    }
    for id in 0..50 {
        assert!(client.answer().1.contains(&format!(r#""id":{id},"#)));
    }
}

#[test]
fn security_12_a_chunked_body_over_the_limit_is_refused_by_what_came() {
    let site = Site::with(Server::new(|options| options.limits.message_bytes = 10_000), |_| {});
    let mut client = site.connect();
    client.open_call(QUICK);
    client.send(b"Transfer-Encoding: chunked\r\n\r\n");
    for _ in 0..11 {
        client.send(format!("3e8\r\n{}\r\n", "x".repeat(1000)).as_bytes());
    }
    let (head, body) = client.answer();
    assert_eq!(head.status, 413);
    assert!(body.contains("message_bytes"), "{body}");
}

#[test]
fn security_12_a_length_over_the_limit_is_refused_before_the_body() {
    let site = Site::with(Server::new(|options| options.limits.message_bytes = 10_000), |_| {});
    let mut client = site.connect();
    client.open_call(QUICK);
    client.send(b"Content-Length: 20000\r\nExpect: 100-continue\r\n\r\n");
    assert_eq!(client.answer().0.status, 413);
    assert!(client.is_closed());
}

#[test]
fn security_12_a_length_that_lies_ends_the_connection_and_nothing_else() {
    let site = Site::open();
    let mut client = site.connect();
    client.open_call(QUICK);
    client.send(b"Content-Length: 10\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    assert_eq!(client.answer().0.status, 400);
    // What lies behind the announced end is read as the next request, and is none.
    assert_eq!(client.head().status, 400);
    assert!(client.is_closed());
    let mut other = site.connect();
    other.call(1, QUICK);
    assert_eq!(other.answer().0.status, 200);
}

#[test]
fn security_12_a_body_that_does_not_come_is_given_up() {
    let site = Site::with(Server::new(|_| {}), |options| options.pause = Duration::from_millis(50));
    let mut client = site.connect();
    client.open_call(QUICK);
    client.send(b"Content-Length: 100\r\n\r\n{");
    let (head, _) = client.answer();
    assert_eq!(head.status, 408);
    assert!(client.is_closed());
}

#[test]
fn security_12_a_head_over_the_limit_is_refused() {
    let site = Site::with(Server::new(|options| options.limits.header_bytes = 10_000), |_| {});
    let mut client = site.connect();
    client.open_call(QUICK);
    client.send(format!("X-Long: {}\r\n\r\n", "h".repeat(20_000)).as_bytes());
    assert_eq!(client.head().status, 431);
}

#[test]
fn n28_a_client_that_goes_away_takes_its_call_back() {
    let site = Site::open();
    let mut client = site.connect();
    client.call(1, SLOW);
    let _running = site.server.started.recv().unwrap();
    drop(client);
    assert_eq!(site.server.cancelled.recv().unwrap(), "the client went away");
}

#[test]
fn x06_e08_a_waiting_call_becomes_a_stream_with_signs_of_life() {
    let site = Site::with(Server::new(|options| options.limits.keep_alive = Duration::from_millis(20)), |_| {});
    let mut client = site.connect();
    client.call(1, SLOW);
    let running = site.server.started.recv().unwrap();
    let head = client.head();
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    assert_eq!(head.header("x-accel-buffering"), Some("no"));
    assert!(head.header("cache-control").unwrap().contains("no-transform"));
    for _ in 0..3 {
        client.read_until(": keep-alive");
    }
    site.server.complete(&running);
    client.read_until(r#"data: {"jsonrpc":"2.0","id":1,"#);
    // The end of the stream leaves the connection usable.
    client.read_until("\r\n0\r\n");
}

#[test]
fn n28_a_client_that_leaves_a_stream_takes_its_call_back() {
    let site = Site::with(Server::new(|options| options.limits.keep_alive = Duration::from_millis(20)), |_| {});
    let mut client = site.connect();
    client.call(1, SLOW);
    let _running = site.server.started.recv().unwrap();
    client.read_until(": keep-alive");
    drop(client);
    assert_eq!(site.server.cancelled.recv().unwrap(), "the client went away");
}

#[test]
fn h_draining_lets_running_calls_finish_and_closes_the_rest() {
    let site = Site::open();
    let (mut busy, mut idle) = (site.connect(), site.connect());
    idle.call(1, QUICK);
    assert_eq!(idle.answer().0.status, 200);
    busy.call(2, SLOW);
    let running = site.server.started.recv().unwrap();
    let Site { server, http } = site;
    let address = http.local_addr();
    let stopping = std::thread::spawn(move || http.shutdown(Duration::from_secs(60)));
    assert!(idle.is_closed());
    server.complete(&running);
    assert_eq!(busy.answer().0.status, 200);
    stopping.join().unwrap();
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn h_draining_cancels_what_outlives_its_grace() {
    let site = Site::open();
    let mut busy = site.connect();
    busy.call(1, SLOW);
    let _running = site.server.started.recv().unwrap();
    site.http.shutdown(Duration::ZERO);
    assert_eq!(site.server.cancelled.recv().unwrap(), "the client went away");
    assert!(site.http.is_over());
    assert!(busy.is_closed());
}

#[test]
fn h_a_port_belongs_to_one_server() {
    let site = Site::open();
    let options = HttpServerOptions::new("127.0.0.1", site.http.local_addr().port());
    let error = HttpServer::bind(&site.server.engine, &options).err().unwrap();
    assert!(error.message().contains("cannot listen on 127.0.0.1:"), "{error}");
}

#[test]
fn n59_an_ipv6_host_may_stand_in_brackets() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        return;
    }
    let site = Site::with(Server::new(|_| {}), |options| options.host = "[::1]".to_owned());
    let mut client = site.connect();
    client.call(1, QUICK);
    assert_eq!(client.answer().0.status, 200);
}

#[test]
fn n37_http2_without_tls_is_an_option() {
    let site = Site::with(Server::new(|_| {}), |options| options.http2 = true);
    let mut client = site.connect();
    client.call(1, QUICK);
    assert_eq!(client.answer().0.status, 200);
    let mut client = site.connect();
    client.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
    let mut frame = [0; 9];
    client.from.read_exact(&mut frame).unwrap();
    assert_eq!(frame[3], 4, "the server's SETTINGS come first");
}
