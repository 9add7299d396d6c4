import Foundation
import Omniport

/// The Swift client under orders: one JSON object per line comes in, one per answer goes out; see the README beside the folder.
@main
struct Drive {
    static func main() async throws {
        let driver = Driver()
        let output = Output()
        await withTaskGroup(of: Void.self) { running in
            for await line in standardInput() {
                guard let order = try? JSONValue(parsing: line) else { continue }
                // An order to cancel a call must find it, so what calls are running is known before the next order is read.
                let work = await driver.begin(order)
                running.addTask { await output.say(order["as"] ?? .null, await outcome(of: work)) }
            }
            await driver.close()
        }
    }

    /// The lines of the standard input; a thread waits for them.
    static func standardInput() -> AsyncStream<String> {
        AsyncStream { lines in
            Thread.detachNewThread {
                while let line = readLine() { lines.yield(line) }
                lines.finish()
            }
        }
    }

    static func outcome(of work: Task<JSONValue, any Error>) async -> (String, JSONValue) {
        do {
            return ("ok", try await work.value)
        } catch let error as OmniportError {
            let kind = String(error.description.prefix { $0 != ":" })
            let facts = JSONObject(error.context.map { ($0, .string($1)) })
            return failure(kind, error.message, error.code, facts)
        } catch is CancellationError {
            return failure("cancelled", "the call was taken back", nil, [:])
        } catch {
            return failure("unknown", "\(error)", nil, [:])
        }
    }

    static func failure(_ kind: String, _ message: String, _ code: Int?, _ facts: JSONObject) -> (String, JSONValue) {
        let code = code.map { JSONValue($0) } ?? .null
        return ("failed", ["kind": .string(kind), "message": .string(message), "code": code, "facts": .object(facts)])
    }
}

/// Writes one answer after the other: two writes of large ones at once splice into each other.
actor Output {
    func say(_ number: JSONValue, _ outcome: (String, JSONValue)) {
        let answer: JSONObject = ["as": number, outcome.0: outcome.1]
        FileHandle.standardOutput.write(Data("\(JSONValue.object(answer))\n".utf8))
    }
}
