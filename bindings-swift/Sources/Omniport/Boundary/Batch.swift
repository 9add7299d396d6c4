internal import OmniportBoundary

/// One thing that the engine queued for a server.
struct Event: Sendable {
    let kind: Kind
    /// The call that it is about.
    let token: UInt64
    /// The handler, the question or the level, by the kind.
    let slot: UInt32
    /// JSON or plain text, by the kind.
    let text: String
}

/// One thing that a client told.
struct Told: Sendable {
    let kind: ToldKind
    /// The call or question that it is about.
    let token: UInt64
    /// The number of the client.
    let client: UInt64
    /// JSON or plain text, by the kind.
    let text: String
}

extension Engine {
    /// Waits for what is queued; nothing once `stop` was called. Of one task only.
    func events() async -> [Event] {
        var batch = Batch(await nextBatch())
        return batch.read { kind, token, slot, text in
            Kind(rawValue: kind).map { Event(kind: $0, token: token, slot: UInt32(truncatingIfNeeded: slot), text: text) }
        }
    }
}

extension Inbox {
    /// Waits for what is told; nothing once `stop` was called. Of one task only.
    func told() async -> [Told] {
        var batch = Batch(await nextBatch())
        return batch.read { kind, token, client, text in
            ToldKind(rawValue: kind).map { Told(kind: $0, token: token, client: client, text: text) }
        }
    }
}

/// What crosses in one go: for each thing a line `kind token number length`, then so many bytes of text.
private struct Batch {
    private var text: String

    init(_ text: String) { self.text = text }

    mutating func read<Thing>(_ make: (_ kind: UInt8, _ token: UInt64, _ number: UInt64, _ text: String) -> Thing?) -> [Thing] {
        text.withUTF8 { bytes in
            var things: [Thing] = []
            var at = 0
            while at < bytes.count {
                let kind = UInt8(truncatingIfNeeded: Self.number(bytes, &at))
                let (token, number) = (Self.number(bytes, &at), Self.number(bytes, &at))
                let end = Int(Self.number(bytes, &at)) + at
                if let thing = make(kind, token, number, String(decoding: bytes[at..<end], as: UTF8.self)) { things.append(thing) }
                at = end
            }
            return things
        }
    }

    /// Reads digits and the one byte behind them.
    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> UInt64 {
        var number: UInt64 = 0
        while true {
            let digit = bytes[at] &- UInt8(ascii: "0")
            at += 1
            guard digit < 10 else { return number }
            number = number &* 10 &+ UInt64(digit)
        }
    }
}
