//! The parse of an ordinary message allocates nothing: it runs once per call, before anything else.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use omniport::limits::Limits;
use omniport::wire::{Message, Object, RequestId, Text, parse, write};

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system allocator unchanged; the counter is a plain thread-local without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: `place` came from `System.alloc` above.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = COUNT.get();
    let value = work();
    (value, COUNT.get() - before)
}

#[derive(serde::Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    arguments: Option<Object<'a>>,
}

#[test]
fn a_call_is_read_and_answered_without_allocating() {
    let text =
        br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":"two"}}}"#;
    let limits = Limits::default();
    let (message, count) = allocations(|| parse::<Params<'_>>(text, &limits));
    let Ok(Message::Request { id, params: Some(params), .. }) = message else { panic!("a request") };
    assert_eq!((id.clone(), count), (RequestId::Int(7), 0));
    assert_eq!(params.name.as_deref(), Some("add"));

    let mut out = Vec::with_capacity(256);
    let arguments = params.arguments.expect("arguments").text();
    let ((), count) = allocations(|| write::result(&mut out, &id, |out| out.extend_from_slice(arguments.as_bytes())));
    assert_eq!(count, 0);
}
