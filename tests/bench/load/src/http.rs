//! Load over HTTP/1.1: one thread, many keep-alive connections, one request in flight on each.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use mio::net::TcpStream as Polled;
use mio::{Events, Interest, Poll, Token};
use serde_json::Value;

use crate::answer;
use crate::fault::{Fault, Result};
use crate::options::Options;
use crate::request::{Era, INITIALIZED, What, body, headers, initialize, post};
use crate::response::{Response, take};
use crate::tally::Tally;

/// A blocking connection, for what comes before the load.
pub struct Connection {
    address: String,
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub fn open(address: &str) -> Result<Connection> {
        let stream = TcpStream::connect(address).map_err(|error| Fault(format!("{address}: {error}")))?;
        stream.set_nodelay(true)?;
        Ok(Connection { address: address.to_owned(), stream, buffer: Vec::new() })
    }

    /// The session's id, or `None` of a server that keeps no sessions.
    pub fn begin_session(&mut self) -> Result<Option<String>> {
        let response = self.exchange("", None, &initialize(0))?;
        answer::check_initialize(response.messages.last().map_or(&[][..], |message| message))?;
        self.exchange(&headers(Era::Legacy, What::Add), response.session.as_deref(), INITIALIZED)?;
        Ok(response.session)
    }

    fn exchange(&mut self, headers: &str, session: Option<&str>, body: &str) -> Result<Response> {
        self.stream.write_all(&post(&self.address, headers, session, body))?;
        let mut chunk = [0; 16 << 10];
        loop {
            if let Some(response) = take(&mut self.buffer)? {
                return if response.status < 300 { Ok(response) } else { Err(refused(&response)) };
            }
            match self.stream.read(&mut chunk)? {
                0 => return Err(Fault("the server closed the connection".into())),
                count => self.buffer.extend_from_slice(&chunk[..count]),
            }
        }
    }
}

/// One connection under load.
struct Lane {
    stream: Polled,
    session: Option<String>,
    received: Vec<u8>,
    unsent: Vec<u8>,
    id: u64,
    began: Instant,
    tools: usize,
    open: bool,
}

pub fn run(options: &Options) -> Result<Value> {
    let mut poll = Poll::new()?;
    let mut lanes = Vec::new();
    for number in 0..options.connections {
        lanes.push(open_lane(options, &poll, number)?);
    }
    let heads = headers(options.era, options.what);
    let mut tally = Tally::new(options.pid, options.warm, options.seconds);
    let mut chunk = vec![0; 256 << 10];
    for lane in &mut lanes {
        lane.began = Instant::now();
        lane.ask(options, &heads, None)?;
    }
    let mut events = Events::with_capacity(options.connections.max(16));
    let mut open = lanes.len();
    while open > 0 {
        match poll.poll(&mut events, None) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            outcome => outcome?,
        }
        for event in &events {
            let lane = &mut lanes[event.token().0];
            if event.is_writable() {
                lane.write()?;
            }
            if lane.open && event.is_readable() {
                lane.read(options, &heads, &mut tally, &mut chunk)?;
                open -= usize::from(!lane.open);
            }
        }
    }
    Ok(tally.report())
}

fn open_lane(options: &Options, poll: &Poll, number: usize) -> Result<Lane> {
    let mut connection = Connection::open(&options.address)?;
    let session = if options.era == Era::Legacy { connection.begin_session()? } else { None };
    connection.stream.set_nonblocking(true)?;
    let mut stream = Polled::from_std(connection.stream);
    poll.registry().register(&mut stream, Token(number), Interest::READABLE | Interest::WRITABLE)?;
    // Ids of different connections differ, so that an answer on the wrong one is noticed.
    let id = (number as u64 + 1) * 100_000_000;
    let (received, unsent) = (connection.buffer, Vec::new());
    Ok(Lane { stream, session, received, unsent, id, began: Instant::now(), tools: 0, open: true })
}

impl Lane {
    fn ask(&mut self, options: &Options, headers: &str, cursor: Option<&str>) -> Result<()> {
        self.id += 1;
        let body = body(options.era, options.what, self.id, cursor);
        self.unsent = post(&options.address, headers, self.session.as_deref(), &body);
        self.write()
    }

    fn write(&mut self) -> Result<()> {
        while !self.unsent.is_empty() {
            match self.stream.write(&self.unsent) {
                Ok(count) => drop(self.unsent.drain(..count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn read(&mut self, options: &Options, headers: &str, tally: &mut Tally, chunk: &mut [u8]) -> Result<()> {
        loop {
            match self.stream.read(chunk) {
                Ok(0) => return Err(Fault("the server closed a connection under load".into())),
                Ok(count) => {
                    self.received.extend_from_slice(&chunk[..count]);
                    while let Some(response) = take(&mut self.received)? {
                        self.answered(options, headers, tally, &response)?;
                    }
                    // Edge-triggered: only a read that filled the chunk may have left something; the next answer makes an edge of its own.
                    if count < chunk.len() {
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn answered(&mut self, options: &Options, headers: &str, tally: &mut Tally, response: &Response) -> Result<()> {
        if response.status != 200 {
            return Err(refused(response));
        }
        let now = Instant::now();
        let mut found = None;
        for message in &response.messages {
            found = answer::check(options.what, message)?.or(found);
        }
        let answer = found.ok_or_else(|| Fault("a response without an answer".into()))?;
        if answer.id != self.id {
            return Err(Fault(format!("the answer to {} where {} was asked", answer.id, self.id)));
        }
        self.tools += answer.tools;
        if let Some(next) = answer.next {
            return self.ask(options, headers, Some(&next));
        }
        if options.what == What::List && self.tools != options.tools {
            return Err(Fault(format!("a listing of {} tools, not {}", self.tools, options.tools)));
        }
        self.tools = 0;
        let began = std::mem::replace(&mut self.began, now);
        if tally.done(began, now) {
            return self.ask(options, headers, None);
        }
        self.open = false;
        Ok(())
    }
}

fn refused(response: &Response) -> Fault {
    let body = response.messages.first().map(|body| String::from_utf8_lossy(body).into_owned()).unwrap_or_default();
    Fault(format!("HTTP {}: {body}", response.status))
}
