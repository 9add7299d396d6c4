import Testing

@testable import Omniport

/// A closure of one expression that is not `Encodable` would pass for one without a result, and the tool would answer nothing.
@Suite(.timeLimit(.minutes(5))) struct UnencodableTests {
    @Test func aResultThatIsNotEncodableIsAProblem() async throws {
        let app = Server(name: "bare")
        let tools: any Tools.Type = Bare.self
        tools.register(at: app)
        #expect(app.problems.count == 4)
        #expect(app.problems.first?.message == "tool `structure`: the result `Bare` is not Encodable & Sendable")
        await #expect(throws: OmniportError.self) { try await app.listen(port: 0) }
    }
}

/// What is called by way of a protocol may be deprecated.
private protocol Tools { static func register(at app: Server) }

private struct Bare: Tools {
    struct Add: Decodable { let a: Int }
    let a: Int

    @available(*, deprecated, message: "as what it tries")
    static func register(at app: Server) {
        app.tool("structure") { (args: Add) in Bare(a: args.a) }
        app.tool("mixed") { (args: Add, _: Context) in ["a": args.a, "b": "x"] }
        app.tool("context") { (_: Context) in Bare(a: 1) }
        app.tool("nothing") { Bare(a: 1) }
        app.tool("fine") { (args: Add) in args.a }
        app.tool("empty") { (_: Add) in }
    }
}
