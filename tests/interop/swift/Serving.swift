import Foundation
import Omniport

private let picture = Data((0...255).map { UInt8($0) })
private let notes = ["first": "Buy milk", "second": "Call Ada"]

private struct City: Decodable { let city: String }
private struct Weather: Encodable { let city: String, celsius: Double }
private struct Limit: Decodable { let to: Int }
private struct Pizza: Decodable, SchemaDescribing {
    let size: String
    let extra_cheese: Bool?
    static let schemaOverrides: [SchemaOverride] = [.default("extra_cheese", false)]
}
private struct Subject: Decodable { let about: String }
private struct Touched: Decodable { let uri: String }
private struct Note: Decodable { let name: String }
private struct Greeting: Decodable { let name: String, mood: String? }

func interopServer() -> Server {
    let app = Server(
        name: "interop", version: "1.2.3", options: .init(title: "Interop", instructions: "Ask for the weather.", subscribe: true))
    addTools(to: app)
    addQuestions(to: app)
    app.resource("note://welcome", options: .init(description: "A note that is always there.", mimeType: "text/plain"), content: "Welcome")
    app.resource("note://picture", options: .init(description: "All bytes there are.", mimeType: "image/x-bytes"), content: picture)
    app.resourceTemplate("note://{name}/text", options: .init(description: "A note by its name.")) { (note: Note) in
        guard let text = notes[note.name] else { throw OmniportError.notFound("there is no note \(note.name)") }
        return text
    }
    app.prompt("greet", "A greeting.") { (args: Greeting) in "Greet \(args.name) in a \(args.mood ?? "warm") way" }
    app.completion(of: .prompt("greet"), argument: "mood") { start, _, _ in ["warm", "wary", "cold"].filter { $0.hasPrefix(start) } }
    app.completion(of: .template("note://{name}/text"), argument: "name") { start, _, _ in
        notes.keys.sorted().filter { $0.hasPrefix(start) }
    }
    return app
}

private func addTools(to app: Server) {
    app.tool("weather", "Tells the weather.") { (args: City) in Weather(city: args.city, celsius: 21.5) }
    app.tool("fail", "Always fails.") { () -> String in throw ToolError("The oven is cold") }
    app.tool("count", "Counts, and says how far it is.") { (args: Limit, cx) in
        for number in 1...max(args.to, 1) {
            cx.progress(Double(number), total: Double(args.to), message: "at \(number)")
            // The TypeScript clients forget who wants progress when the answer comes in the same read, so a number takes its time.
            try await Task.sleep(for: .milliseconds(50))
        }
        return args.to
    }
    app.tool("chat", "Logs while it works.") { (cx: Context) in
        cx.log(.info, ["state": "working"], logger: "chatter")
        return "done"
    }
    app.tool("touch", "Says that a resource has changed.") { [weak app] (args: Touched) in
        app?.resourceUpdated(args.uri)
        return "touched"
    }
}

private func addQuestions(to app: Server) {
    app.tool("order", "Asks the user what to order.") { (cx: Context) in
        switch try await cx.elicit("Which pizza?", Pizza.self) {
        case .accept(let pizza): return "accept \(pizza.size)"
        case .decline: return "decline -"
        case .cancel: return "cancel -"
        }
    }
    app.tool("think", "Asks the client's model.") { (args: Subject, cx) in
        try await cx.sample(args.about, options: ["maxTokens": 10]).text
    }
    app.tool("where", "Asks for the client's roots.") { (cx: Context) in
        try await cx.listRoots().map(\.uri).joined(separator: ",")
    }
}
