//! Event streams as a client sees them: a small reader of its own, so that the engine's reader cannot hide its writer's faults.

use serde_json::{Map, Value};

/// Cuts the bytes of a stream into events; each is an object of its fields.
#[derive(Default)]
pub struct Events {
    text: String,
    bytes: Vec<u8>,
}

impl Events {
    /// The events that end in these bytes. A comment is an event with the one member `comment`.
    pub fn read(&mut self, bytes: &[u8]) -> Vec<Value> {
        self.bytes.extend_from_slice(bytes);
        let whole =
            std::str::from_utf8(&self.bytes).expect("an event stream is UTF-8, and written in whole characters");
        self.text.push_str(whole);
        self.bytes.clear();
        let mut events = Vec::new();
        while let Some(end) = self.text.find("\n\n") {
            let block: String = self.text.drain(..end + 2).collect();
            events.push(event(block.trim_end_matches('\n')));
        }
        events
    }
}

fn event(block: &str) -> Value {
    let mut event = Map::new();
    let mut data: Option<String> = None;
    for line in block.split('\n') {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" => drop(event.insert("comment".to_owned(), value.into())),
            "data" => match &mut data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => data = Some(value.to_owned()),
            },
            other => drop(event.insert(other.to_owned(), value.into())),
        }
    }
    if let Some(data) = data {
        let parsed = serde_json::from_str(&data).unwrap_or(Value::String(data));
        event.insert("data".to_owned(), parsed);
    }
    Value::Object(event)
}
