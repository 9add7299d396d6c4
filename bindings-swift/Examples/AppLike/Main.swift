import Omniport

/// An app that is its own server: what its assistant may do with the user's notes are tools of a server in the same process, and the app asks
/// it as it would ask any other. Nothing listens, nothing is started, so it works on iOS, too.
@main
struct Notes {
    static func main() async throws {
        let notes = Notebook(["Buy milk", "Call Ada"])
        let client = Client(.server(server(of: notes)), handlers: ClientHandlers(elicit: ask))

        try await client.connect()
        try await show(client)
        _ = try await client.callTool("add_note", ["text": "Water the plants"])
        print(try await client.callTool("clear_notes").text)

        // The system may stop an app in the background at any time: it lets go of its connections, and takes them up again.
        await client.suspend()
        try await client.resume()
        try await show(client)
        await client.close()
    }

    static func server(of notes: Notebook) -> Server {
        struct Add: Decodable { let text: String }
        struct Consent: Decodable { let really: Bool }
        let app = Server("notes", version: "1.0")
        app.resource("notes://all", options: .init(name: "notes", description: "All notes of the user.")) { await notes.all }
        app.tool("add_note", "Keep a note.") { (args: Add) in
            await notes.add(args.text)
            app.resourceUpdated("notes://all")
        }
        app.tool("clear_notes", "Delete every note, if the user agrees.") { (cx: Context) in
            guard try await cx.elicit("Delete all notes?", Consent.self).content?.really == true else { return "The notes were kept" }
            await notes.clear()
            return "The notes are gone"
        }
        return app
    }

    /// Here an app shows a sheet. This one's user would rather keep the notes.
    @Sendable static func ask(_ form: ElicitRequestFormParams) async throws -> ElicitAnswer {
        print("asked: \(form.message)")
        return .accept(["really": false])
    }

    static func show(_ client: Client) async throws {
        for contents in try await client.readResource("notes://all").contents {
            if case .text(let text) = contents { print("notes: \(text.text)") }
        }
    }
}

/// The notes, as an app keeps them.
actor Notebook {
    private(set) var all: [String]

    init(_ notes: [String]) { all = notes }

    func add(_ note: String) { all.append(note) }
    func clear() { all = [] }
}
