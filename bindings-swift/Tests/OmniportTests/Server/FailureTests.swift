import Foundation
import Testing

@testable import Omniport

/// Whatever a handler throws, the caller gets an answer and the server goes on.
@Suite(.timeLimit(.minutes(5))) struct FailureTests {
    struct Odd: Error { let why = "odd" }
    struct Told: LocalizedError { let errorDescription: String? = "told in words" }
    enum Kind: Error { case first, second(Int) }

    static let thrown: [(any Error & Sendable, String)] = [
        (Odd(), "Odd"), (Told(), "told in words"), (Kind.first, "first"), (Kind.second(3), "second(3)"),
        (ToolError("for the model"), "for the model"),
        (CancellationError(), "The handler cancelled itself"),
        (DecodingError.keyNotFound(AnyKey("k"), .init(codingPath: [], debugDescription: "")), "`k` is missing"),
    ]

    @Test func whatIsThrownIsReadByTheModel() async throws {
        let app = Server(name: "failures", options: .init(maskErrors: false))
        for (place, (error, _)) in Self.thrown.enumerated() { app.tool("t\(place)") { () -> String in throw error } }
        app.tool("fine") { "fine" }
        try await withPeer(app) { peer in
            for (place, (error, text)) in Self.thrown.enumerated() {
                let result = try await peer.call("t\(place)")
                #expect(result["isError"] == true)
                #expect(result["content"]?[0]?["text"]?.stringValue?.contains(text) == true, "\(error): \(result)")
                #expect(try await peer.call("fine")["content"]?[0]?["text"] == "fine")
            }
        }
    }

    @Test func faultsCanBeMaskedAndWhatIsForTheModelIsNot() async throws {
        let app = Server(name: "failures", options: .init(maskErrors: true))
        app.tool("fault") { () -> String in throw Told() }
        app.tool("told") { () -> String in throw ToolError("for the model") }
        try await withPeer(app) { peer in
            let fault = try await peer.call("fault")
            #expect(fault["isError"] == true && fault["content"]?[0]?["text"]?.stringValue?.contains("told in words") == false)
            #expect(try await peer.call("told")["content"]?[0]?["text"] == "for the model")
        }
    }

    @Test func errorsOfTheProtocolKeepCodeAndData() async throws {
        let app = Server(name: "failures")
        app.tool("params") { () -> String in throw OmniportError.invalidParams(.init("no such row", data: ["row": 1])) }
        app.resource("a://gone") { () -> String in throw OmniportError.notFound("no") }
        app.resourceTemplate("b://{x}") { (_: JSONObject) -> String in throw ToolError("never mind") }
        app.prompt("p") { () -> String in throw OmniportError.remote(.init("own", code: -32050)) }
        app.prompt("odd") { () -> String in throw Odd() }
        app.completion(of: .prompt("p"), argument: "x") { _, _, _ -> [String] in throw Odd() }
        try await withPeer(app) { peer in
            let params = await failure { try await peer.call("params") }
            #expect(params?.code == -32602 && params?.message == "no such row" && params?.data == ["row": 1])
            let gone = await failure { try await peer.request("read_resource", ["uri": "a://gone"]) }
            #expect(gone?.message == "Resource not found: a://gone")
            #expect(await failure { try await peer.request("read_resource", ["uri": "b://x"]) } != nil)
            #expect(await failure { try await peer.request("get_prompt", ["name": "p"]) }?.code == -32050)
            #expect(await failure { try await peer.request("get_prompt", ["name": "odd"]) }?.code == -32603)
        }
    }

    @Test(arguments: [
        (["a": "one", "b": 2], ["a"]), (["b": 2], ["a"]), (["a": 1.5, "b": true], ["a", "b"]), ([:], ["a", "b"]),
    ] as [(JSONValue, [String])])
    func argumentsThatAreWrongAreToldAllAtOnce(arguments: JSONValue, names: [String]) async throws {
        struct Add: Decodable { let a: Int, b: Int }
        let app = Server(name: "failures")
        app.tool("add") { (args: Add) in args.a + args.b }
        try await withPeer(app) { peer in
            let result = try await peer.call("add", arguments)
            let text = result["content"]?[0]?["text"]?.stringValue ?? ""
            #expect(result["isError"] == true)
            for name in names { #expect(text.contains(name), "\(text)") }
        }
    }

    /// The decoder of a type may refuse what its schema takes in.
    @Test func whatTheTypeRefusesIsToldToTheModel() async throws {
        struct Even: Codable, Sendable {
            let number: Int
            init(from decoder: any Decoder) throws {
                number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
                if number == 7 { throw ToolError("7 is not liked") }
            }
        }
        let app = Server(name: "failures")
        app.tool("even") { (args: Even) in args.number }
        try await withPeer(app) { peer in
            #expect(try await peer.call("even", ["number": 2])["structuredContent"] == 2)
            let refused = try await peer.call("even", ["number": 7])
            #expect(refused["isError"] == true)
            #expect(refused["content"]?[0]?["text"]?.stringValue?.contains("7 is not liked") == true)
        }
    }

    /// A task that a handler leaves behind may tell and ask: nobody hears it, and nothing breaks.
    @Test func aTaskThatOutlivesItsCallHarmsNothing() async throws {
        let app = Server(name: "failures")
        let (answered, asked) = (Latch(), Waiter<String>())
        app.tool("leaves") { (cx: Context) in
            Task.detached {
                await answered.wait()
                cx.progress(1)
                cx.log(.error, "late")
                let error = await failure { try await cx.listRoots() }
                asked.settle(.success(error?.kind ?? "answered"))
            }
            return "left"
        }
        try await withPeer(app) { (peer: Peer) async throws in
            #expect(try await peer.call("leaves")["content"]?[0]?["text"] == "left")
            answered.open()
            #expect(try await asked.value() != "answered")
            #expect(try await peer.call("leaves")["content"]?[0]?["text"] == "left")
            #expect(peer.noticed == [])
        }
    }

    @Test func aCallThatTakesTooLongIsCancelledForItsHandler() async throws {
        let (app, ended) = (Server(name: "failures"), Latch())
        app.tool("slow", options: .init(timeout: .milliseconds(50))) { (cx: Context) -> String in
            defer { ended.open() }
            try await Task.sleep(for: .seconds(600))
            return "never"
        }
        try await withPeer(app) { peer in
            let result = try await peer.call("slow")
            #expect(result["isError"] == true && result["content"]?[0]?["text"]?.stringValue?.contains("time limit") == true)
            await ended.wait()
        }
    }
}
