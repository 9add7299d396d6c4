import Foundation
import OmniportBoundary

@testable import Omniport

/// A server of this process on the bare engine, so that a test of the client depends on nothing else.
final class TestServer: Sendable {
    let engine: Engine
    private let handlers = Locked<[UInt32: Handler]>([:])
    private let questions = Locked<[Question: CheckedContinuation<JSONValue, any Error>]>([:])
    private let cancelled = Locked<[UInt64: Latch]>([:])

    typealias Handler = @Sendable (TestCall) async throws -> JSONValue

    struct Question: Hashable {
        let token: UInt64
        let number: UInt32
    }

    init(_ options: JSONObject = [:]) throws {
        var settings: JSONObject = ["name": "test", "version": "1.2", "instructions": "Ask away."]
        for (name, value) in options { settings[name] = value }
        engine = try Engine(options: JSONValue.object(settings).text())
        Task.detached { [engine, weak self] in
            while true {
                let events = await engine.events()
                if events.isEmpty { return }
                for event in events { self?.happened(event) }
                engine.flush()
            }
        }
    }

    deinit {
        engine.close(grace: 0)
        engine.stop()
    }

    var target: ClientTarget { .engine(name: "test") { self.engine } }

    /// Listens, and gives the address.
    func listen(_ options: JSONObject = [:]) throws -> String {
        var settings: JSONObject = ["host": "127.0.0.1", "port": 0]
        for (name, value) in options { settings[name] = value }
        return "http://" + (try engine.serveHttp(options: JSONValue.object(settings).text()))
    }

    func tool(_ name: String, _ more: JSONObject = [:], _ handler: @escaping Handler) throws {
        var definition: JSONObject = ["name": .string(name), "inputSchema": ["type": "object"]]
        for (name, value) in more { definition[name] = value }
        let slot = try engine.addTool(definition: JSONValue.object(definition).text(), options: "{}")
        registered(slot, handler)
    }

    func resource(_ uri: String, _ handler: @escaping Handler) throws {
        let definition: JSONValue = ["uri": .string(uri), "name": .string(uri)]
        let slot = try engine.addResource(definition: definition.text(), options: "{}")
        registered(slot, handler)
    }

    func template(_ uri: String, _ handler: @escaping Handler) throws {
        let definition: JSONValue = ["uriTemplate": .string(uri), "name": .string(uri)]
        let slot = try engine.addTemplate(definition: definition.text(), options: "{}")
        registered(slot, handler)
    }

    func prompt(_ name: String, arguments: [String], _ handler: @escaping Handler) throws {
        let definition: JSONValue = ["name": .string(name), "arguments": .array(arguments.map { ["name": .string($0)] })]
        let slot = try engine.addPrompt(definition: definition.text(), options: "{}")
        registered(slot, handler)
    }

    func completion(_ reference: JSONValue, _ argument: String, _ handler: @escaping Handler) throws {
        let slot = try engine.addCompletion(reference: reference.text(), argument: argument)
        registered(slot, handler)
    }

    private func registered(_ slot: UInt32, _ handler: @escaping Handler) {
        handlers.with { $0[slot] = handler }
        engine.flush()  // which tells of lists that changed
    }

    /// What opens when the client takes that call back.
    fileprivate func cancellation(_ token: UInt64) -> Latch {
        cancelled.with { cancelled in
            let ending = cancelled[token] ?? Latch()
            cancelled[token] = ending
            return ending
        }
    }

    private func happened(_ event: Event) {
        switch event.kind {
        case .call, .read, .get, .complete:
            guard let handler = handlers.with({ $0[event.slot] }) else { return }
            Task.detached {
                do {
                    let arguments = try JSONValue(parsing: event.text)
                    let answer = try await handler(TestCall(server: self, token: event.token, arguments: arguments))
                    self.engine.complete(token: event.token, text: try answer.text())
                } catch let error as ToolError {
                    self.engine.fail(token: event.token, kind: "tool", code: nil, message: error.message, data: nil)
                } catch let error as OmniportError {
                    let data = error.data.map { "\($0)" }
                    self.engine.fail(
                        token: event.token, kind: "protocol", code: error.code.map(Int64.init), message: error.message, data: data)
                } catch {
                    self.engine.fail(token: event.token, kind: "internal", code: nil, message: "\(error)", data: nil)
                }
                self.engine.flush()
            }
        case .answer:
            let waiting = questions.with { $0.removeValue(forKey: Question(token: event.token, number: event.slot)) }
            waiting?.resume(with: Swift.Result { try JSONValue(parsing: event.text) })
        case .cancel: cancellation(event.token).open()
        default: break
        }
    }

    fileprivate func ask(_ token: UInt64, _ question: JSONValue) async throws -> JSONValue {
        try await withCheckedThrowingContinuation { continuation in
            do {
                let text = try question.text()
                // Under the lock, so that the answer cannot come before somebody waits for it.
                try questions.with { questions in
                    let asked = try guarded { try engine.ask(token: token, question: text) }
                    if let answer = asked.answer {
                        continuation.resume(returning: try JSONValue(parsing: answer))
                    } else {
                        questions[Question(token: token, number: asked.number)] = continuation
                    }
                }
                engine.flush()
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}

/// A call that a handler of a test answers.
struct TestCall: Sendable {
    let server: TestServer
    let token: UInt64
    let arguments: JSONValue

    /// The answer to a question, as the engine tells it: `{"result"}` or `{"error"}`.
    func ask(_ question: JSONValue) async throws -> JSONValue { try await server.ask(token, question) }

    /// Waits until the client takes the call back.
    func cancelled() async { await server.cancellation(token).wait() }

    func notice(_ notice: JSONValue) throws {
        try guarded { try server.engine.notice(token: token, text: notice.text()) }
        server.engine.flush()
    }
}

/// What came, in the order in which it did, for tests to wait for.
actor Record<Item: Sendable> {
    private(set) var items: [Item] = []
    private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    func add(_ item: Item) {
        items.append(item)
        for (count, continuation) in waiting where items.count >= count { continuation.resume() }
        waiting.removeAll { $0.count <= items.count }
    }

    /// Waits until there are so many.
    func wait(for count: Int) async -> [Item] {
        if items.count < count { await withCheckedContinuation { waiting.append((count, $0)) } }
        return items
    }
}

