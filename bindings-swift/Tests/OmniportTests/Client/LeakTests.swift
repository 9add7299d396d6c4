import Foundation
import Testing

@testable import Omniport

#if os(Linux)
    @Suite(.serialized) struct LeakTests {
        /// Memory of the process, in bytes.
        private func resident() throws -> Int {
            let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            return (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
        }

        private func server() throws -> TestServer {
            let server = try TestServer()
            try server.tool("echo") { call in ["structuredContent": call.arguments] }
            return server
        }

        private func calls(_ count: Int, _ client: Client) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for number in 0..<(count / 8) { _ = try await client.callTool("echo", ["n": .int(Int64(number))]) }
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test func aHundredThousandCallsLeaveNothing() async throws {
            let server = try server()
            try await withClient(server.target) { client in
                try await calls(20_000, client)
                let before = try resident()
                try await calls(100_000, client)
                let grown = try resident() - before
                #expect(grown < 8 << 20, "\(grown) bytes more after 100,000 calls")
                #expect(client.life.connection?.isIdle == true)
            }
        }

        @Test func aThousandClientsLeaveNothing() async throws {
            let server = try server()
            func clients(_ count: Int) async throws {
                for number in 0..<count {
                    let client = Client(server.target, handlers: .init(log: { _ in }, progress: { _ in }, state: { _, _ in }))
                    _ = try await client.callTool("echo")
                    if number.isMultiple(of: 2) { await client.close() }
                }
            }
            try await clients(200)
            let before = try resident()
            try await clients(1000)
            let grown = try resident() - before
            #expect(grown < 8 << 20, "\(grown) bytes more after 1,000 clients")
        }
    }
#endif
