//! One vector, one revision, one transport: the steps in order, with a clear word about the first that fails.

use std::collections::BTreeMap;
use std::time::Duration;

use omniport::time::Now;
use serde_json::{Value, json};

use super::client::Speaker;
use super::http::Exchange;
use super::pattern::{self, Bindings};
use super::rule::Tally;
use super::sending::{Peer, Way};
use super::server::Standard;
use super::vector::{Step, Transport, Vector};

/// Runs a vector for one revision over one transport.
pub fn run(vector: &Vector, revision: &str, transport: Transport) -> Result<Tally, String> {
    let now = Now { monotonic: Duration::from_secs(1000), unix: Duration::from_secs(1_800_000_000) };
    let server = Standard::build(&vector.server, now)?;
    let speaker = Speaker { revision: revision.to_owned(), settings: vector.client.clone() };
    let mut bindings = Bindings::new();
    bindings.insert("version".to_owned(), revision.into());
    bindings.insert("meta".to_owned(), speaker.meta());
    let era = if speaker.is_modern() { "modern" } else { "legacy" };
    for group in [era, revision] {
        bindings.extend(vector.vars.get(group).cloned().unwrap_or_default());
    }
    let mut run = Run {
        server,
        speaker,
        transport,
        now,
        bindings,
        peers: BTreeMap::new(),
        exchanges: BTreeMap::new(),
        tally: Tally { runs: 1, ..Tally::default() },
    };
    for (index, step) in vector.steps.iter().enumerate() {
        run.step(step).map_err(|error| format!("step {} {step}\n    {error}", index + 1))?;
    }
    run.nothing_left()?;
    Ok(run.tally)
}

pub(super) struct Run {
    pub server: Standard,
    pub speaker: Speaker,
    pub transport: Transport,
    pub now: Now,
    pub bindings: Bindings,
    /// Clients by name.
    pub peers: BTreeMap<String, Peer>,
    /// Requests that a step wrote itself, by name.
    exchanges: BTreeMap<String, Exchange>,
    tally: Tally,
}

impl Run {
    fn step(&mut self, step: &Value) -> Result<(), String> {
        let filled = pattern::fill(step, &self.bindings)?;
        // Matchers such as `$bind` are no variables, so the patterns are filled too.
        let step: Step = serde_json::from_value(filled).map_err(|error| error.to_string())?;
        if step.verbs() != 1 {
            return Err(format!("a step has one verb, this one has {}", step.verbs()));
        }
        self.tally.steps += 1;
        self.tally.assertions += usize::from(step.asserts());
        let on = step.on.clone().unwrap_or_else(|| "main".to_owned());
        if let Some(request) = step.http {
            let exchange = self.send_http(&on, &request)?;
            self.exchanges.insert(step.name.ok_or("an `http` step needs a name (`as`)")?, exchange);
            self.pump();
            return Ok(());
        }
        if let Some(name) = &step.response {
            return self.check_response(name, &step);
        }
        if let Some(name) = &step.leave {
            self.exchanges.get(name).ok_or_else(|| format!("no request is called {name:?}"))?.leave();
            self.pump();
            return Ok(());
        }
        if let Some(ms) = step.advance_ms {
            self.advance(ms);
            return Ok(());
        }
        if step.stop == Some(true) {
            self.server.engine.drain();
            self.server.engine.end_streams();
            self.pump();
            return Ok(());
        }
        self.client_step(&on, step)
    }

    fn client_step(&mut self, on: &str, step: Step) -> Result<(), String> {
        self.ensure(on)?;
        if let Some(input) = &step.input {
            let text = input.as_str().map_or_else(|| input.to_string(), ToOwned::to_owned);
            self.write(on, format!("{text}\n").as_bytes())?;
        } else if let Some(hex) = &step.bytes {
            let bytes = unhex(hex)?;
            self.write(on, &bytes)?;
        } else if let Some(message) = &step.request {
            let message = self.peers[on].speaker.request(message);
            self.send(on, &message)?;
        } else if let Some(message) = step.notify.as_ref().or(step.reply.as_ref()) {
            let mut message = message.clone();
            message["jsonrpc"] = "2.0".into();
            self.send(on, &message)?;
        } else if let Some(patterns) = &step.out {
            return self.check_out(on, patterns, step.unordered);
        } else if step.none == Some(true) {
            return self.check_out(on, &[], false);
        } else if step.close == Some(true) {
            match &mut self.peers.get_mut(on).expect("it was opened").way {
                Way::Pipe(pipe) => pipe.close(),
                Way::Http(web) => web.open.iter().for_each(Exchange::leave),
            }
            self.pump();
        } else {
            return Err("a flag that says `false` does nothing".to_owned());
        }
        Ok(())
    }

    fn check_response(&mut self, name: &str, step: &Step) -> Result<(), String> {
        let exchange = self.exchanges.get_mut(name).ok_or_else(|| format!("no request is called {name:?}"))?;
        let seen = exchange.look();
        if step.pending == Some(true) {
            return match seen {
                None => Ok(()),
                Some(seen) => Err(format!("expected no answer yet, found status {}", seen.status)),
            };
        }
        let seen = seen.ok_or("there is no answer")?;
        let body = seen.body.as_deref().map(|body| String::from_utf8_lossy(body).into_owned()).unwrap_or_default();
        let told = |error: String| {
            format!("{error}\n    status {} {:?}\n    {body} {:?}", seen.status, seen.headers, seen.events)
        };
        if let Some(status) = step.status.filter(|status| *status != seen.status) {
            return Err(told(format!("expected status {status}")));
        }
        if let Some(headers) = &step.headers {
            let found = Value::Object(seen.headers.clone());
            pattern::check(&Value::Object(headers.clone()), &found, &mut self.bindings).map_err(told)?;
        }
        if let Some(expected) = &step.json {
            let found = serde_json::from_str(&body).map_err(|error| told(error.to_string()))?;
            pattern::check(expected, &found, &mut self.bindings).map_err(told)?;
        }
        if let Some(expected) = step.body.as_ref().filter(|expected| **expected != body) {
            return Err(told(format!("expected the body {expected:?}")));
        }
        if let Some(expected) = &step.events {
            let found = Value::Array(seen.events.clone());
            pattern::check(&Value::Array(expected.clone()), &found, &mut self.bindings).map_err(told)?;
        } else if !seen.events.is_empty() {
            return Err(told("events came that the step does not name".to_owned()));
        }
        match step.open.is_some_and(|open| open != seen.is_open) {
            true => Err(told(format!("expected the stream to be {}", if seen.is_open { "closed" } else { "open" }))),
            false => Ok(()),
        }
    }

    /// The time passes, and the engine's timers with it, one deadline after the other.
    fn advance(&mut self, ms: u64) {
        let end = self.now.after(Duration::from_millis(ms));
        loop {
            let next = self.server.engine.tick(self.now);
            self.pump();
            match next.filter(|next| *next <= end.monotonic && *next > self.now.monotonic) {
                Some(next) => self.now = self.now.after(next - self.now.monotonic),
                None => break,
            }
        }
        self.now = end;
        self.server.engine.tick(end);
        self.pump();
    }

    pub fn pump(&self) {
        self.server.host.pump(&self.server.engine, self.now);
    }

    /// Everything that came for a client since the last look.
    pub fn collect(&mut self, on: &str) -> Result<Vec<Value>, String> {
        let peer = self.peers.get_mut(on).ok_or_else(|| format!("no client is called {on:?}"))?;
        let revision = peer.speaker.revision.clone();
        let texts: Vec<Vec<u8>> = match &mut peer.way {
            Way::Pipe(pipe) => pipe.read().iter().map(|text| text.to_vec()).collect(),
            Way::Http(web) => web.open.iter_mut().flat_map(Exchange::messages).collect(),
        };
        for text in texts {
            self.tally.messages += 1;
            peer.inbox.push(peer.ledger.check(&text, &revision)?);
        }
        Ok(peer.inbox.take())
    }

    fn check_out(&mut self, on: &str, patterns: &[Value], unordered: bool) -> Result<(), String> {
        let came = Value::Array(self.collect(on)?);
        let told = |error: String| format!("{error}\n    came: {}", shortened(&came.to_string()));
        let wanted = Value::Array(patterns.to_vec());
        let count = came.as_array().map_or(0, Vec::len);
        if count != patterns.len() {
            return Err(told(format!("expected {} messages, found {count}", patterns.len())));
        }
        let wanted = if unordered { json!({"$contains": wanted}) } else { wanted };
        pattern::check(&wanted, &came, &mut self.bindings).map_err(told)
    }

    /// A vector says all that comes: what is left at its end is a surprise.
    fn nothing_left(&mut self) -> Result<(), String> {
        for on in self.peers.keys().cloned().collect::<Vec<_>>() {
            let left = self.collect(&on)?;
            if !left.is_empty() {
                return Err(format!(
                    "at the end, messages that no step named: {}",
                    shortened(&Value::Array(left).to_string())
                ));
            }
        }
        Ok(())
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(3000).collect()
}

fn unhex(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits
        .chunks(2)
        .map(|pair| {
            let pair = std::str::from_utf8(pair).map_err(|error| error.to_string())?;
            u8::from_str_radix(pair, 16).map_err(|error| format!("{pair:?}: {error}"))
        })
        .collect()
}
