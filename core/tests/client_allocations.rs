//! A large result is held once on its way from the carrier to the host.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::{Arc, Mutex};

use http::{HeaderMap, HeaderValue, Request, StatusCode};
use omniport::bytes::Bytes;
use omniport::engine::client::{
    AskKind, CallOptions, Change, ClientEngine, ClientHost, ClientOptions, ClientState, EraChoice, Link, Operation,
    RequestSink, Token,
};
use omniport::error::Error;
use omniport::model::Level;
use omniport::time::Now;
use serde_json::value::RawValue;

struct Counting;

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

fn add(bytes: usize) {
    LIVE.set(LIVE.get().wrapping_add(bytes));
    PEAK.set(PEAK.get().max(LIVE.get()));
}

// SAFETY: every call goes to the system allocator unchanged; the counters are plain thread-locals without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get().wrapping_sub(layout.size()));
        // SAFETY: `place` came from `System` above.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.set(LIVE.get().wrapping_sub(layout.size()));
        add(size);
        // SAFETY: `place` came from `System` above, and the caller keeps the contract of `realloc`.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Keeps results as they come.
#[derive(Default)]
struct Host(Mutex<Vec<Box<RawValue>>>);

impl ClientHost for Host {
    fn result(&self, _: Token, result: Result<Box<RawValue>, Error>) {
        self.0.lock().unwrap().push(result.unwrap());
    }
    fn progress(&self, _: Token, _: Box<RawValue>) {}
    fn log(&self, _: Option<Token>, _: Box<RawValue>) {}
    fn change(&self, _: Change) {}
    fn ask(&self, _: u64, _: AskKind, _: Box<RawValue>) {}
    fn withdrawn(&self, _: u64) {}
    fn state(&self, _: ClientState) {}
    fn closed(&self, _: Error) {}
    fn report(&self, _: Level, _: String) {}
}

#[derive(Default)]
struct Out(Mutex<Vec<u64>>);

impl RequestSink for Out {
    fn start(&self, id: u64, _: Request<Bytes>) {
        self.0.lock().unwrap().push(id);
    }
    fn abort(&self, _: u64) {}
    fn close(&self) {}
}

/// The most bytes that were live at once while a result of 10 MiB came as that type of body.
fn peak_of(kind: &'static str, before_body: &str, after_body: &str) -> usize {
    let (host, out) = (Arc::<Host>::default(), Arc::<Out>::default());
    let link = Link::Http { sink: out.clone(), url: "http://127.0.0.1:1/".into(), headers: HeaderMap::new() };
    let mut options = ClientOptions::new("test", "1");
    options.era = EraChoice::Modern;
    let engine = ClientEngine::new(options, link, host.clone());
    let answer = |number: u64, parts: &[&str]| {
        let id = out.0.lock().unwrap().pop().unwrap();
        let start = format!(r#"{before_body}{{"jsonrpc":"2.0","id":{number},"result":"#);
        let parts: Vec<_> = [&*start].into_iter().chain(parts.iter().copied()).chain(["}", after_body]).collect();
        let mut headers = HeaderMap::new();
        headers.insert("content-type", HeaderValue::from_static(kind));
        let length = parts.iter().map(|part| part.len()).sum::<usize>();
        headers.insert("content-length", HeaderValue::from(length));
        engine.http_head(id, StatusCode::OK, &headers, Now::default());
        for part in parts {
            engine.http_chunk(id, part.as_bytes(), Now::default());
        }
        engine.http_end(id, Now::default());
    };
    engine.connect(Now::default());
    answer(1, &[r#"{"supportedVersions":["2026-07-28"],"capabilities":{}}"#]);
    engine.start(Operation::CallTool, r#"{"name":"t"}"#, CallOptions::default(), Now::default());
    let part = "x".repeat(1 << 20);
    let mut parts = vec![r#"{"content":[{"type":"text","text":""#];
    parts.extend([part.as_str(); 10]);
    parts.push(r#""}]}"#);
    let before = LIVE.get();
    PEAK.set(before);
    answer(2, &parts);
    let peak = PEAK.get() - before;
    let result = host.0.lock().unwrap().pop().unwrap();
    assert!(result.get().len() > SIZE && result.get().starts_with(r#"{"content""#) && result.get().ends_with("}]}"));
    peak
}

const SIZE: usize = 10 << 20;

#[test]
fn a_large_result_is_not_held_twice() {
    let peak = peak_of("application/json", "", "");
    assert!(peak < SIZE + SIZE / 8, "{peak} bytes for a body of {SIZE}");
    // Nobody knows how long an event will be, so its buffer may have grown beyond it.
    let peak = peak_of("text/event-stream", "data: ", "\n\n");
    assert!(peak < SIZE * 7 / 4, "{peak} bytes for an event of {SIZE}");
}
