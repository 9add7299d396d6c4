//! Resumable event streams: what was sent on a stream stays for a while, so that a client can ask for the rest by `Last-Event-ID`.
//! See <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery>.

use std::collections::VecDeque;

use bytes::Bytes;

/// The events of one stream that may be asked for again, oldest first.
#[derive(Debug, Default)]
pub struct Replay {
    /// The number of the next event.
    next: u64,
    events: VecDeque<(u64, Bytes)>,
    bytes: usize,
}

impl Replay {
    /// Keeps an event and gives it its number. Forgets the oldest beyond `limit` events or `bytes` bytes.
    pub fn keep(&mut self, data: Bytes, limit: usize, bytes: usize) -> u64 {
        let number = self.next;
        self.next += 1;
        self.bytes += data.len();
        self.events.push_back((number, data));
        while self.events.len() > limit || self.bytes > bytes {
            let Some((_, dropped)) = self.events.pop_front() else { break };
            self.bytes -= dropped.len();
        }
        number
    }

    /// The events after `number`; none if some of them were already forgotten or `number` was never given.
    pub fn after(&self, number: u64) -> Option<impl Iterator<Item = (u64, &Bytes)>> {
        let oldest = self.events.front().map_or(self.next, |(first, _)| *first);
        if number >= self.next || number + 1 < oldest {
            return None;
        }
        Some(self.events.iter().filter(move |(kept, _)| *kept > number).map(|(kept, data)| (*kept, data)))
    }

    /// All events that are kept.
    pub fn all(&self) -> impl Iterator<Item = (u64, &Bytes)> {
        self.events.iter().map(|(kept, data)| (*kept, data))
    }
}

/// The text of an event id: which stream, which event. Ids are unique in a session and checked against it (security 7).
pub fn event_id(stream: u64, number: u64) -> String {
    format!("{stream}-{number}")
}

/// The stream and event that an id names.
pub fn parse_event_id(id: &str) -> Option<(u64, u64)> {
    let (stream, number) = id.split_once('-')?;
    Some((stream.parse().ok()?, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_stream_can_be_asked_for() {
        let mut replay = Replay::default();
        for text in ["a", "b", "c"] {
            replay.keep(Bytes::from_static(text.as_bytes()), 8, 1024);
        }
        let rest: Vec<_> = replay.after(0).unwrap().map(|(number, data)| (number, data.clone())).collect();
        assert_eq!(rest, [(1, Bytes::from_static(b"b")), (2, Bytes::from_static(b"c"))]);
        assert_eq!(replay.after(2).unwrap().count(), 0);
        assert!(replay.after(3).is_none());
    }

    #[test]
    fn a_gap_is_no_rest() {
        let mut replay = Replay::default();
        for _ in 0..5 {
            replay.keep(Bytes::from_static(b"x"), 2, 1024);
        }
        assert!(replay.after(1).is_none());
        assert_eq!(replay.after(2).unwrap().count(), 2);
    }

    #[test]
    fn ids_round_trip_and_others_are_refused() {
        assert_eq!(parse_event_id(&event_id(3, 9)), Some((3, 9)));
        for wrong in ["", "3", "a-1", "1-", "-1", "1-2-3"] {
            assert_eq!(parse_event_id(wrong), None, "{wrong}");
        }
    }
}
