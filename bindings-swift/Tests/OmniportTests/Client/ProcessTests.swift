#if !os(iOS)
    import Foundation
    import Testing

    @testable import Omniport

    /// Clients of server processes, which are shell scripts: a script can do wrong whatever a server can.
    @Suite(.timeLimit(.minutes(5))) struct ProcessTests {
        /// Answers the handshake of a legacy client, then runs `script`, where `$line` is the last line and `id` sets `$id` to its id.
        private func process(_ script: String, hello: String = #""capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}"#)
            -> ClientTarget
        {
            let prelude = #"""
                id() { id=$(printf '%s' "$line" | sed -E 's/.*"id":("[^"]*"|[0-9]+).*/\1/'); }
                answer() { id; printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
                read -r line
                answer '{"protocolVersion":"2025-06-18",HELLO}'
                read -r line
                """#
            return .command(["/bin/sh", "-c", prelude.replacingOccurrences(of: "HELLO", with: hello) + "\n" + script])
        }

        private let legacy = ClientOptions(era: .legacy)

        @Test func aProcessIsStartedAndEnded() async throws {
            let lines = Record<String>()
            let script = #"""
                echo "it begins" >&2
                read -r line
                answer '{"content":[{"type":"text","text":"hello"}]}'
                read -r line || echo "it ends" >&2
                """#
            let client = Client(process(script), options: legacy, handlers: .init(stderr: { await lines.add($0) }))
            #expect(try await client.callTool("any").text == "hello")
            #expect(client.serverInfo?.name == "sh")
            await client.close()
            #expect(await lines.wait(for: 2) == ["it begins", "it ends"])
        }

        @Test func aProcessThatCannotStartSaysWhy() async throws {
            let client = Client(.command(["/nowhere/at/all"]))
            await #expect {
                try await client.connect()
            } throws: { error in
                (error as? OmniportError)?.message.contains("/nowhere/at/all") == true
            }
            let dies = Client(.command(["/bin/sh", "-c", "echo 'no licence' >&2; exit 3"]), options: legacy)
            await #expect {
                try await dies.connect()
            } throws: { error in
                (error as? OmniportError).map { $0.context["stderr"]?.contains("no licence") == true || "\($0)".contains("no licence") } == true
            }
        }

        /// F01: a pipe that is not drained holds a large message up; a small one that comes behind it does not get in between.
        @Test func messagesThatWaitStayWhole() async throws {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("omniport-\(UUID().uuidString)").path
            let gate = file + ".gate"
            defer { for place in [file, gate] { try? FileManager.default.removeItem(atPath: place) } }
            #expect(mkfifo(gate, 0o600) == 0)
            let copy = "read -r line; printf '%s\\n' \"$line\" >> '\(file)'; answer '{\"content\":[]}'"
            let client = Client(process("read -r go < '\(gate)'\n\(copy)\n\(copy)\nread -r line"), options: legacy)
            try await client.connect()
            let large = String(repeating: "x", count: 300_000)
            let first = Task { try await client.callTool("large", ["text": .string(large)]) }
            await eventually { client.calls == 1 }
            let second = Task { try await client.callTool("small", ["text": "y"]) }
            await eventually { client.calls == 2 }
            try Data("go\n".utf8).write(to: URL(filePath: gate), options: [])
            _ = try await (first.value, second.value)
            await client.close()
            let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            let messages = try lines.map { try JSONValue(parsing: String($0)) }
            #expect(messages.map { $0["params"]?["name"] } == ["large", "small"])
            #expect(messages.first?["params"]?["arguments"]?["text"]?.stringValue?.count == 300_000)
        }

        /// F02: a server that never reads costs a call its time limit and nobody else anything.
        @Test func aServerThatDoesNotReadIsGivenUp() async throws {
            let script = #"""
                printf '{"jsonrpc":"2.0","id":"%s","method":"ping"}\n' "$(head -c 262144 /dev/zero | tr '\0' 9)"
                exec sleep 600
                """#
            let client = Client(process(script), options: .init(era: .legacy, timeout: .milliseconds(500)))
            try await client.connect()
            let large: JSONValue = ["text": .string(String(repeating: "x", count: 1 << 20))]
            for _ in 0..<3 {
                await #expect {
                    try await client.callTool("large", large)
                } throws: { error in
                    switch error as? OmniportError {
                    case .timeout, .limit, .closed, .io: true
                    default: false
                    }
                }
            }
            await client.close()
        }

        /// Y13: questions of a server that have no `params` are answered, and the connection stays.
        @Test func questionsWithoutParamsAreAnswered() async throws {
            let script = #"""
                printf '{"jsonrpc":"2.0","id":14,"method":"ping"}\n{"jsonrpc":"2.0","id":"U-1","method":"roots/list"}\n'
                for number in 1 2 3; do
                    read -r next
                    case $next in *tools/call*) line=$next ;; *) said="$said${said:+,}$next" ;; esac
                done
                answer "{\"content\":[],\"structuredContent\":{\"said\":[$said]}}"
                read -r line
                """#
            let handlers = ClientHandlers(roots: { [Root(uri: "file:///srv")] })
            try await withClient(process(script), options: legacy, handlers: handlers) { client in
                let said = try await client.callTool("what did I say?").structuredContent?["said"]?.arrayValue ?? []
                let ping = said.first { $0["id"] == 14 }
                let roots = said.first { $0["id"] == "U-1" }
                #expect(ping?["result"] == [:])
                #expect(roots?["result"]?["roots"] == [["uri": "file:///srv"]])
            }
        }

        /// Y14, F06: what is unusual about an answer loses none of it.
        @Test func unusualAnswersAreRead() async throws {
            let hello = #"""
                "capabilities":{"tools":{"listChanged":"yes"},"experimental":{"a":{"b":[1]}},"extensions":{"io.example/x":{}},"odd":7},\#
                "serverInfo":{"name":"sh","version":"1","icons":"none"}
                """#
            let script = #"""
                read -r line
                answer '{"tools":[{"nameless":1},{"name":"odd","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"maybe","extra":1},\#
                "_meta":{"x":[null]},"icons":[{"src":1}]}]}'
                read -r line
                answer '{"content":[{"type":"text","text":"a","extra":true},{"type":"resource","resource":{"uri":"x://y","text":"b"}},\#
                {"type":"hologram","depth":3},{"type":"image"}],"isError":"no"}'
                read -r line
                answer '{"content":[{"type":"hologram"}],"more":1}'
                read -r line
                """#
            try await withClient(process(script, hello: hello), options: legacy) { client in
                #expect(client.serverInfo?.name == "sh")
                #expect(client.serverCapabilities?.tools != nil)
                #expect(client.serverCapabilities?.experimental == ["a": ["b": [1]]])
                let tools = try await client.listTools()
                #expect(tools.map(\.name) == ["odd"])
                let result = try await client.callTool("odd")
                #expect(result.content.count == 4 && result.text == "a")
                guard case .embeddedResource = result.content[1], case .unknown(let hologram) = result.content[2] else {
                    Issue.record("an item was not kept")
                    return
                }
                #expect(hologram["depth"] == 3)
                #expect(try await client.request("call_tool", ["name": "odd", "arguments": [:]])["more"] == 1)
            }
        }

        @Test func anEntryOfAFileIsStarted() async throws {
            let config: JSONValue = [
                "mcpServers": ["a": ["command": "/bin/sh", "args": ["-c", "exit 0"]], "b": ["command": "/nowhere/b"]]
            ]
            await #expect {
                try await Client(.config(config, name: "b")).connect()
            } throws: { "\($0)".contains("/nowhere/b") }
            await #expect(throws: OmniportError.self) { try await Client(.config(config)).connect() }
            await #expect {
                try await Client(.entry(["command": "/nowhere/c"])).connect()
            } throws: { "\($0)".contains("/nowhere/c") }
        }
    }
#endif
