//! The server on pipes: framing, back-pressure, and its end.
#![allow(clippy::unwrap_used, reason = "a helper of tests fails the test")]
#![cfg(all(unix, feature = "io"))]

mod io_support;

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::time::Duration;

use io_support::{BIG, LINES, QUICK, SLOW, STRAY, Server, call};
use omniport::io::stdio::{StdioEnd, StdioHandle, serve_pipe, serve_stdio};
use serde_json::Value;

struct Session {
    server: Server,
    handle: StdioHandle,
    to: PipeWriter,
    from: BufReader<PipeReader>,
}

impl Session {
    fn open() -> Self {
        Self::with(Server::new(|_| {}))
    }

    fn with(server: Server) -> Self {
        let ((input, to), (from, output)) = (std::io::pipe().unwrap(), std::io::pipe().unwrap());
        let handle = serve_pipe(&server.engine, OwnedFd::from(input), OwnedFd::from(output)).unwrap();
        Self { server, handle, to, from: BufReader::new(from) }
    }

    fn send(&mut self, line: &str) {
        self.to.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.from.read_line(&mut line).unwrap(), 0, "the server ended");
        serde_json::from_str(&line).unwrap()
    }

    /// The answer to `id`; answers to noise are skipped.
    fn answer(&mut self, id: u32) -> Value {
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
        }
    }
}

fn is_done(answer: &Value) -> bool {
    answer["result"]["content"][0]["text"] == "done"
}

#[test]
fn w01_w22_noise_bad_utf8_bom_and_crlf_cost_only_their_line() {
    let mut session = Session::open();
    session.to.write_all(b"\xEF\xBB\xBFnoise\n\xFF\xFE\n\r\n   \n{\"level\":\"info\"}\n").unwrap();
    session.to.write_all(format!("{}\r\n", call(1, QUICK)).as_bytes()).unwrap();
    assert!(is_done(&session.answer(1)));
}

#[test]
fn w_a_message_of_sixteen_mib_in_small_pieces_is_read_under_a_raised_limit() {
    let mut session = Session::with(Server::new(|options| options.limits.message_bytes = 32 << 20));
    let padding = "y".repeat(16 << 20);
    let line = call(1, QUICK).replace(r#""arguments":{}"#, &format!(r#""arguments":{{"p":"{padding}"}}"#));
    for piece in format!("{line}\n").as_bytes().chunks(1024) {
        session.to.write_all(piece).unwrap();
    }
    assert!(is_done(&session.answer(1)));
}

#[test]
fn w_a_line_over_the_limit_is_refused_and_the_next_is_served() {
    let mut session = Session::with(Server::new(|options| options.limits.message_bytes = 4096));
    session.send(&"z".repeat(100_000));
    session.send(&call(2, QUICK));
    assert!(session.next()["error"]["message"].as_str().unwrap().contains("message_bytes"));
    assert!(is_done(&session.answer(2)));
}

#[test]
fn f01_a_long_message_and_a_short_one_stay_whole_on_a_pipe_that_nobody_drains() {
    let mut session = Session::open();
    session.send(&call(1, BIG));
    session.send(&call(2, SLOW));
    // The second call starts although the first answer cannot leave: the reader never waits for a write.
    let second = session.server.started.recv().unwrap();
    session.server.complete(&second);
    assert_eq!(session.next()["id"], 1);
    let answer = session.next();
    assert_eq!(answer["id"], 2);
    assert!(is_done(&answer));
}

#[test]
fn security_17_a_giant_id_does_not_wedge_the_server() {
    let mut session = Session::open();
    session.send(&format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#, "i".repeat(256 << 10)));
    session.send(&call(2, QUICK));
    assert!(is_done(&session.answer(2)));
}

#[test]
fn y09_a_client_that_does_not_read_stops_the_reader_and_gets_every_answer_later() {
    let mut session = Session::with(Server::new(|options| options.limits.queued_bytes = 100_000));
    let mut to = session.to.try_clone().unwrap();
    let writer = std::thread::spawn(move || {
        for id in 0..40 {
            to.write_all(format!("{}\n", call(id, BIG)).as_bytes()).unwrap();
        }
    });
    for id in 0..40 {
        assert_eq!(session.next()["id"], id);
    }
    writer.join().unwrap();
}

#[test]
fn w_requests_beyond_the_limit_in_flight_wait_until_others_end() {
    let mut session = Session::with(Server::new(|options| options.limits.in_flight = 2));
    for id in 0..3 {
        session.send(&call(id, SLOW));
    }
    for id in 0..3 {
        let running = session.server.started.recv().unwrap();
        session.server.complete(&running);
        assert!(is_done(&session.answer(id)));
    }
}

#[test]
fn w_a_result_printed_over_several_lines_leaves_as_one() {
    let mut session = Session::open();
    session.send(&call(1, LINES));
    assert!(is_done(&session.next()));
}

#[test]
fn w_messages_of_an_open_batch_leave_with_its_end() {
    let mut session = Session::open();
    session.send(&call(1, SLOW));
    let running = session.server.started.recv().unwrap();
    session.handle.begin_batch();
    session.server.complete(&running);
    session.handle.end_batch();
    assert!(is_done(&session.next()));
}

#[test]
fn n14_the_end_of_input_ends_the_server_and_cancels_what_runs_on() {
    let mut session = Session::open();
    session.send(&call(1, SLOW));
    let _running = session.server.started.recv().unwrap();
    let Session { server, handle, to, from } = session;
    drop(to);
    assert_eq!(handle.wait(), StdioEnd::Eof);
    assert_eq!(server.cancelled.recv().unwrap(), "the client closed the connection");
    drop(from);
}

#[test]
fn y10_calls_sent_before_the_end_of_input_are_answered() {
    let mut session = Session::open();
    // No line end: what a shell's `printf` sends.
    session.to.write_all(call(1, QUICK).as_bytes()).unwrap();
    let Session { handle, to, mut from, .. } = session;
    drop(to);
    assert_eq!(handle.wait(), StdioEnd::Eof);
    drop(handle);
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    assert!(is_done(&serde_json::from_str(&line).unwrap()));
}

#[test]
fn y10_an_input_that_is_empty_from_the_start_says_so() {
    let Session { handle, to, .. } = Session::open();
    drop(to);
    assert_eq!(handle.wait(), StdioEnd::NoInput);
    let (told, tells) = std::sync::mpsc::channel();
    handle.on_end(move |end| told.send(end.clone()).unwrap());
    assert_eq!(tells.recv().unwrap(), StdioEnd::NoInput);
    assert!(handle.is_over());
}

#[test]
fn n16_a_client_that_does_not_read_any_more_ends_the_server() {
    let mut session = Session::open();
    session.send(&call(1, SLOW));
    let running = session.server.started.recv().unwrap();
    let Session { server, handle, to, from } = session;
    drop(from);
    server.complete(&running);
    assert_eq!(handle.wait(), StdioEnd::PeerGone);
    drop(to);
}

#[test]
fn n14_closing_lets_calls_finish_within_the_grace_and_cancels_the_rest() {
    let mut session = Session::open();
    session.send(&call(1, SLOW));
    let running = session.server.started.recv().unwrap();
    let handle = session.handle.clone();
    let closing = std::thread::spawn(move || handle.close(Duration::from_secs(60)));
    session.server.complete(&running);
    closing.join().unwrap();
    assert!(is_done(&session.next()));
    assert_eq!(session.handle.wait(), StdioEnd::Closed);

    let mut session = Session::open();
    session.send(&call(1, SLOW));
    let _running = session.server.started.recv().unwrap();
    session.handle.close(Duration::ZERO);
    assert_eq!(session.server.cancelled.recv().unwrap(), "the server was closed");
}

/// Set for the test binary that plays the server.
const CHILD: &str = "OMNIPORT_TEST_STDIO_CHILD";

#[test]
fn child_serves_stdio() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let server = Server::new(|_| {});
    let handle = serve_stdio(&server.engine).unwrap();
    assert!(serve_stdio(&server.engine).is_err(), "there is one stdout");
    handle.wait();
    handle.close(Duration::ZERO);
    std::io::stdout().write_all(b"given back\n").unwrap();
}

#[test]
fn w22_p13_stray_output_goes_to_stderr() {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_serves_stdio", "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = child.stdin.take().unwrap();
    for id in 1..=2 {
        to.write_all(format!("{}\n", call(id, STRAY)).as_bytes()).unwrap();
    }
    drop(to);
    let (mut out, mut err) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert!(child.wait().unwrap().success(), "{err}");
    assert_eq!(out.matches("jsonrpc").count(), 2, "{out}");
    assert!(!out.contains("stray"), "{out}");
    assert_eq!(err.matches("stray from the process").count(), 2, "{err}");
    assert_eq!(err.matches("stray from a child").count(), 2, "{err}");
    assert!(out.contains("given back"), "{out}");
}
