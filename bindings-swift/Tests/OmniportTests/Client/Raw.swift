#if !os(iOS)
    import Foundation

    @testable import Omniport

    /// The server process that does what no good one does; see `Programs/RawServer`.
    enum Raw {
        static var target: ClientTarget { .command([Program.path("RawServer")]) }

        static func client(_ handlers: ClientHandlers = .init(), _ options: ClientOptions = .init(era: .legacy)) -> Client {
            Client(target, options: options, handlers: handlers)
        }

        /// Connects a client, and closes it behind `body`.
        static func with<Result: Sendable>(
            _ handlers: ClientHandlers = .init(), _ options: ClientOptions = .init(era: .legacy), _ body: (Client) async throws -> Result
        ) async throws -> Result {
            try await withClient(target, options: options, handlers: handlers, body)
        }

        static let empty: JSONValue = ["message": "?", "requestedSchema": ["type": "object", "properties": [:]]]
    }

    extension Client {
        /// The one text of a tool's answer, as JSON.
        func said(_ tool: String, _ arguments: JSONValue = [:], options: CallOptions? = nil) async throws -> JSONValue {
            try JSONValue(parsing: try await callTool(tool, arguments, options: options).text)
        }
    }
#endif
