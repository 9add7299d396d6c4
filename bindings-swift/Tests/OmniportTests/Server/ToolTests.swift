import Foundation
import Testing

@testable import Omniport

private struct Add: Decodable { let a: Int, b: Int }

@Suite(.timeLimit(.minutes(5))) struct ToolTests {
    @Test func aToolIsListedWithItsSchemasAndGivesStructuredData() async throws {
        struct Weather: Codable { let city: String, degrees: Double }
        struct Place: Decodable { let city: String }
        let app = Server(name: "demo", version: "1.0")
        app.tool("add", "Add two numbers.", options: .init(title: "Adder", annotations: .init(readOnlyHint: true))) { (args: Add, _) in
            args.a + args.b
        }
        app.tool("weather") { (place: Place) in Weather(city: place.city, degrees: 20.5) }
        try await withPeer(app) { (peer: Peer) async throws in
            let tools = try await peer.request("list_tools")["tools"]
            #expect(tools?[0]?["name"] == "add")
            #expect(tools?[0]?["description"] == "Add two numbers.")
            #expect(tools?[0]?["title"] == "Adder")
            #expect(tools?[0]?["annotations"]?["readOnlyHint"] == true)
            #expect(tools?[0]?["inputSchema"]?["required"] == ["a", "b"])
            #expect(tools?[1]?["outputSchema"]?["properties"]?["degrees"] == ["type": "number"])
            #expect(try await peer.call("add", ["a": 1, "b": 2])["content"]?[0]?["text"] == "3")
            let weather = try await peer.call("weather", ["city": "Bonn"])
            #expect(weather["structuredContent"] == ["city": "Bonn", "degrees": 20.5])
        }
        #expect(app.problems.isEmpty)
    }

    @Test func everyFormOfAHandlerWorks() async throws {
        let app = Server(name: "demo")
        app.tool("text") { "plain" }
        app.tool("context") { cx in cx.requestID.isNull ? "none" : "known" }
        app.tool("nothing") { (_: Add) in }
        app.tool("neither") { () async throws -> Void in }
        app.tool("blocks") { [Content.text("one"), .image(Data([1, 2, 3]))] }
        app.tool("block") { Content.link("file:///a", name: "a") }
        app.tool("whole") { ToolResult([.text("seen")], structuredContent: ["n": 1], isError: true, meta: ["k": "v"]) }
        app.tool("untyped") { (args: JSONObject) in JSONValue.object(args) }
        app.tool("any") { (args: JSONValue) in args }
        try await withPeer(app) { (peer: Peer) async throws in
            #expect(try await peer.call("text")["content"] == [["type": "text", "text": "plain"]])
            #expect(try await peer.call("context")["content"]?[0]?["text"] == "known")
            #expect(try await peer.call("nothing", ["a": 1, "b": 2])["content"] == [])
            #expect(try await peer.call("neither")["content"] == [])
            let blocks = try await peer.call("blocks")["content"]
            #expect(blocks == [["type": "text", "text": "one"], ["type": "image", "data": "AQID", "mimeType": "image/png"]])
            #expect(try await peer.call("block")["content"]?[0]?["type"] == "resource_link")
            let whole = try await peer.call("whole")
            #expect(whole["isError"] == true && whole["structuredContent"] == ["n": 1] && whole["_meta"]?["k"] == "v")
            #expect(try await peer.call("untyped", ["z": 1, "a": [2]])["structuredContent"] == ["z": 1, "a": [2]])
            #expect(try await peer.call("any", ["x": nil])["structuredContent"] == ["x": nil])
        }
    }

    @Test func integersOf64BitsSurvive() async throws {
        struct Big: Codable { let n: Int64, u: UInt64 }
        let app = Server(name: "demo")
        app.tool("same") { (big: Big) in big }
        try await withPeer(app) { (peer: Peer) async throws in
            let arguments: JSONValue = ["n": 9_007_199_254_740_993, "u": .unsigned(18_446_744_073_709_551_615)]
            #expect(try await peer.call("same", arguments)["structuredContent"] == arguments)
        }
    }

    @Test func failuresSayWhatTheyAre() async throws {
        struct Odd: Error {}
        let app = Server(name: "demo")
        app.tool("model") { () -> String in throw ToolError("try tomorrow") }
        app.tool("protocol") { () -> String in throw OmniportError.notFound("no such row") }
        app.tool("coded") { () -> String in throw OmniportError.remote(.init("own", code: -32050, data: ["k": 1])) }
        app.tool("odd") { () -> String in throw Odd() }
        app.tool("add") { (args: Add) in args.a + args.b }
        try await withPeer(app) { (peer: Peer) async throws in
            let model = try await peer.call("model")
            #expect(model["isError"] == true && model["content"]?[0]?["text"] == "try tomorrow")
            let coded = await failure { try await peer.call("coded") }
            #expect(coded?.code == -32050 && coded?.data == ["k": 1] && coded?.message == "own")
            await #expect(throws: OmniportError.self) { try await peer.call("protocol") }
            #expect(try await peer.call("odd")["isError"] == true)
            let wrong = try await peer.call("add", ["a": "one"])
            #expect(wrong["isError"] == true)
            let unknown = await failure { try await peer.call("absent") }
            #expect(unknown?.message.contains("absent") == true)
        }
    }

    @Test func whatCannotBeRegisteredIsToldToWhoeverServes() async throws {
        enum Hidden: String, Decodable { case one }
        struct Bad: Decodable { let hidden: Hidden }
        let app = Server(name: "demo")
        app.tool("bad") { (_: Bad) in "" }
        app.tool("scalar") { (number: Int) in number }
        #expect(app.problems.map(\.kind) == ["definition", "definition"])
        #expect(app.problems.last?.message.contains("tool `scalar`") == true)
        await #expect(throws: OmniportError.self) { try await app.listen(port: 0) }
    }

    @Test func toolsComeAndGoWhileItServes() async throws {
        let app = Server(name: "demo")
        app.tool("one") { "1" }
        try await withPeer(app) { (peer: Peer) async throws in
            app.tool("two") { "2" }
            #expect(try await peer.call("two")["content"]?[0]?["text"] == "2")
            #expect(app.removeTool("one"))
            #expect(!app.removeTool("one"))
            #expect(try await peer.request("list_tools")["tools"]?.arrayValue?.count == 1)
        }
    }

    // F12
    @Test func handlersOnTheMainActorAndActorsServeCallsAtOnce() async throws {
        actor Counter {
            var sum = 0
            func add(_ n: Int) -> Int {
                sum += n
                return sum
            }
        }
        let (app, counter) = (Server(name: "demo"), Counter())
        app.tool("main") { (args: Add) in await MainActor.run { args.a + args.b } }
        app.tool("actor") { (args: Add) in await counter.add(args.a) }
        try await withPeer(app) { (peer: Peer) async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let arguments: JSONValue = ["a": JSONValue(number), "b": 1]
                        #expect(try await peer.call("main", arguments)["structuredContent"] == JSONValue(number + 1))
                        _ = try await peer.call("actor", ["a": 1, "b": 0])
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(await counter.sum == 100)
    }

    // F12: the main actor waits for a call whose handler needs it.
    @MainActor @Test func theMainActorMayWaitForACall() async throws {
        let app = Server(name: "demo")
        app.tool("main") { await MainActor.run { "done" } }
        let peer = try await Peer(app)
        #expect(try await peer.call("main")["content"]?[0]?["text"] == "done")
        try await peer.close()
    }

    // F04
    @Test func aCancelledCallCancelsTheTaskOfItsHandler() async throws {
        let app = Server(name: "demo")
        let (begun, ended) = (Latch(), Latch())
        app.tool("slow") { (cx: Context) -> String in
            begun.open()
            do {
                try await Task.sleep(for: .seconds(600))
            } catch {
                #expect(cx.isCancelled)
                ended.open()
                throw error
            }
            return "never"
        }
        try await withPeer(app) { (peer: Peer) async throws in
            let call = Task { try await peer.call("slow") }
            await begun.wait()
            call.cancel()
            await ended.wait()
            await #expect(throws: (any Error).self) { try await call.value }
        }
    }

    // F04
    @Test func eachOfManyCancelledCallsHasOneOutcome() async throws {
        let app = Server(name: "demo")
        app.tool("yields") { (args: Add) -> Int in
            for _ in 0..<(args.a % 5) { await Task.yield() }
            return args.a
        }
        try await withPeer(app) { (peer: Peer) async throws in
            var ended = 0
            for number in 0..<1000 {
                let call = Task { try await peer.call("yields", ["a": JSONValue(number), "b": 0]) }
                if number % 2 == 0 { await Task.yield() }
                call.cancel()
                _ = await call.result
                ended += 1
            }
            #expect(ended == 1000)
            #expect(try await peer.call("yields", ["a": 3, "b": 0])["structuredContent"] == 3)
        }
    }
}
