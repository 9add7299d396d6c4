internal import OmniportBoundary

/// What all clients of this process are told: one inbox, read by one task as long as the process lives.
///
/// The task only hands on; whoever waits decodes, and callbacks run in tasks of their own. So no client keeps another one waiting (Y09).
final class ClientInbox: Sendable {
    static let shared = ClientInbox()

    let native = Inbox()
    private let connections = Locked<[UInt64: Reference]>([:])

    private init() {
        let (native, connections) = (native, connections)
        Task.detached {
            while true {
                for message in await native.told() {
                    connections.with { $0[message.client]?.connection }?.told(message)
                }
            }
        }
    }

    /// What is told to the client of that number goes to the connection, as long as somebody else knows it.
    func enrol(_ connection: Connection) {
        connections.with { $0[connection.number] = Reference(connection: connection) }
    }

    func strike(_ number: UInt64) {
        connections.with { $0[number] = nil }
    }

    /// The connections that there are.
    var enrolled: [Connection] { connections.with { $0.values.compactMap(\.connection) } }
}

private struct Reference {
    weak var connection: Connection?
}
