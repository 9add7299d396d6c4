import Foundation
import OmniportBoundary

@testable import Omniport

/// A client in the same process, by the boundary alone: what it is told comes as it is.
final class Peer: Sendable {
    let inbox = Inbox()
    let native: NativeClient
    private let server: Server
    private let answers = Locked<[UInt64: Waiter<JSONValue>]>([:])
    private let early = Locked<[UInt64: Result<JSONValue, any Error>]>([:])
    private let notices = Locked<[JSONValue]>([])
    private let reader = Locked<Task<Void, Never>?>(nil)

    /// What notifications came so far, in order.
    var noticed: [JSONValue] { notices.with { $0 } }

    /// - Parameter answer: what the host says to a question.
    init(
        _ server: Server, era: String = "auto", answer: @escaping @Sendable (JSONValue) async -> JSONValue = { _ in [:] }
    ) async throws {
        self.server = server
        let options: JSONValue = [
            "name": "peer", "version": "1", "era": .string(era),
            "answers": ["elicit": true, "elicit_url": true, "sample": true, "roots": true],
        ]
        native = try NativeClient(inbox: inbox, options: try options.text())
        let task = Task { [inbox, weak self] in
            while true {
                let batch = await inbox.told()
                if batch.isEmpty { return }
                for told in batch { self?.hear(told, answer) }
            }
        }
        reader.with { $0 = task }
        _ = try await outcome(try guarded { try native.connectEngine(server: try server.engineAtWork()) })
    }

    func close() async throws {
        _ = try await outcome(try native.close())
        inbox.stop()
    }

    func request(_ what: String, _ params: JSONValue = [:]) async throws -> JSONValue {
        let options = #"{"listens":{"progress":true,"log":true}}"#
        let token = try guarded { try native.request(what: what, params: try params.text(), options: options) }
        return try await withTaskCancellationHandler {
            try await outcome(token)
        } onCancel: {
            native.cancel(token: token, reason: "not wanted any more")
        }
    }

    func call(_ tool: String, _ arguments: JSONValue = [:]) async throws -> JSONValue {
        try await request("call_tool", ["name": .string(tool), "arguments": arguments])
    }

    private func outcome(_ token: UInt64) async throws -> JSONValue {
        let waiter = Waiter<JSONValue>()
        let known = answers.with { answers in
            let known = early.with { $0.removeValue(forKey: token) }
            if known == nil { answers[token] = waiter }
            return known
        }
        if let known { return try known.get() }
        return try await waiter.value()
    }

    private func hear(_ told: Told, _ answer: @escaping @Sendable (JSONValue) async -> JSONValue) {
        let text = (try? JSONValue(parsing: told.text)) ?? .string(told.text)
        switch told.kind {
        case .result: settle(told.token, .success(text))
        case .error: settle(told.token, .failure(OmniportError(told: text)))
        case .asked:
            Task { [native] in
                let said: JSONValue = ["result": await answer(text)]
                native.answer(number: told.token, answer: (try? said.text()) ?? "{}")
            }
        case .progress, .log: notices.with { $0.append(text) }
        default: break
        }
    }

    private func settle(_ token: UInt64, _ outcome: Result<JSONValue, any Error>) {
        let waiter = answers.with { answers in
            if answers[token] == nil { early.with { $0[token] = outcome } }
            return answers.removeValue(forKey: token)
        }
        waiter?.settle(outcome)
    }
}

func withPeer<T>(
    _ server: Server, era: String = "auto", answer: @escaping @Sendable (JSONValue) async -> JSONValue = { _ in [:] },
    _ body: (Peer) async throws -> T
) async throws -> T {
    let peer = try await Peer(server, era: era, answer: answer)
    let result: T
    do {
        result = try await body(peer)
    } catch {
        try? await peer.close()
        throw error
    }
    try await peer.close()
    return result
}
