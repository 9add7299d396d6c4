import OmniportBoundary
import Testing

@testable import Omniport

@Suite(.timeLimit(.minutes(5))) struct BoundaryTests {
    @Test func anEngineAnswersInMemory() async throws {
        let engine = try Engine(options: #"{"name":"a","version":"1"}"#)
        _ = try engine.addTool(definition: #"{"name":"t","inputSchema":{"type":"object"}}"#, options: "{}")
        let inbox = Inbox()
        let client = try NativeClient(inbox: inbox, options: #"{"name":"c","version":"1"}"#)
        let serving = Task {
            while true {
                let events = await engine.events()
                if events.isEmpty { return }
                for event in events where event.kind == .call {
                    engine.complete(token: event.token, text: #"{"structuredContent":{"got":\#(event.text)}}"#)
                }
                engine.flush()
            }
        }
        _ = try client.connectEngine(server: engine)
        let token = try client.request(what: "call_tool", params: #"{"name":"t","arguments":{"x":1}}"#, options: nil)
        var answer: String?
        while answer == nil {
            for told in await inbox.told() where told.token == token && told.kind == .result { answer = told.text }
        }
        #expect(answer?.contains(#""got":{"x":1}"#) == true)
        _ = try client.close()
        engine.stop()
        await serving.value
    }
}
