/// The members of a JSON object, in the order in which they were written. Two objects are equal when their members are, in any order.
public struct JSONObject: Sendable {
    private var entries: [(key: String, value: JSONValue)]
    /// Where each member is. Only of large objects: in a small one looking is quicker.
    private var places: [String: Int]?

    private static let small = 16

    /// An object without members.
    public init() { entries = [] }

    /// Of several members with one name the last is meant.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        self.init()
        for (name, value) in members { self[name] = value }
    }

    /// Reads, replaces, adds behind the others, or removes (nil) a member.
    public subscript(name: String) -> JSONValue? {
        get { place(of: name).map { entries[$0].value } }
        set {
            switch (place(of: name), newValue) {
            case (let place?, let value?): entries[place].value = value
            case (nil, let value?): append(name, value)
            case (let place?, nil):
                entries.remove(at: place)
                places = nil
                index()
            case (nil, nil): break
            }
        }
    }

    /// The names of the members, in their order.
    public var keys: [String] { entries.map(\.key) }
    /// The values of the members, in their order.
    public var values: [JSONValue] { entries.map(\.value) }

    mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

    private func place(of name: String) -> Int? {
        if let places { return places[name] }
        return entries.firstIndex { $0.key == name }
    }

    private mutating func append(_ name: String, _ value: JSONValue) {
        entries.append((name, value))
        if places != nil { places?[name] = entries.count - 1 } else { index() }
    }

    private mutating func index() {
        guard entries.count > Self.small else { return }
        places = Dictionary(entries.enumerated().map { ($1.key, $0) }) { _, last in last }
    }
}

extension JSONObject: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { entries.count }
    public subscript(position: Int) -> (key: String, value: JSONValue) { entries[position] }
}

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for (name, value) in entries {
            var member = Hasher()
            member.combine(name)
            member.combine(value)
            sum &+= member.finalize()
        }
        hasher.combine(sum)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral members: (String, JSONValue)...) { self.init(members) }
}

extension JSONObject: CustomStringConvertible {
    /// The JSON text; numbers that no JSON has are shown as null.
    public var description: String { JSONValue.object(self).description }
}
