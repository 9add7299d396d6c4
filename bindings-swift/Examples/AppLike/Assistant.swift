import Omniport

/// What the app asks for its user: a client that lives as long as the app does.
actor Assistant {
    /// As SwiftUI's `scenePhase` has them.
    enum Phase { case active, background }

    private let client: Client
    private let screen: Screen

    init(of notes: Notebook, on screen: Screen) {
        self.screen = screen
        client = Client(
            .server(NotesServer.of(notes)),  // a server elsewhere would be a URL; nothing else would be different
            options: ClientOptions(name: "notes-app", version: "1.0", timeout: .seconds(30)),
            handlers: ClientHandlers(elicit: { form in await screen.ask(form) })
        )
    }

    /// Lets go of the connection in the background, and takes it up again. The first call would connect by itself; so one that cannot be made
    /// is heard of early.
    func enter(_ phase: Phase) async throws {
        switch phase {
        case .active: try await client.connect()
        case .background: await client.suspend()
        }
    }

    func quit() async { await client.close() }

    func add(_ note: String) async throws {
        _ = try await client.callTool("add_note", ["text": .string(note)])
        await screen.show("added: \(note)")
    }

    /// Many notes, with a bar that grows.
    func importNotes(_ notes: [String]) async throws {
        let call = client.startTool("import_notes", ["notes": .array(notes.map { .string($0) })])
        for await step in call.progress { await screen.show(step) }
        let imported = try await call.value.output(as: NotesServer.Imported.self)
        await screen.show("imported: \(imported.added) new, \(imported.known) known")
    }

    func clear() async throws {
        await screen.show(try await client.callTool("clear_notes").text)
    }

    func refresh() async throws {
        for contents in try await client.readResource("notes://all").contents {
            if case .text(let text) = contents { await screen.show("notes: \(text.text)") }
        }
    }
}
