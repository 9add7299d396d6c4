import Omniport

/// What may be done with the notes: by the app's own assistant, and by any host that the app lets in.
enum NotesServer {
    struct Note: Decodable { let text: String }

    struct Import: Decodable { let notes: [String] }

    struct Imported: Codable { let added: Int, known: Int }

    /// A form; its members are what the user fills in.
    struct Consent: Decodable, SchemaDescribing {
        let delete: Bool
        static let schemaOverrides: [SchemaOverride] = [.title("delete", "Yes, delete them")]
    }

    static func of(_ notes: Notebook) -> Server {
        let app = Server(name: "notes", version: "1.0", options: .init(instructions: "Read notes://all before you add anything."))

        app.resource("notes://all", options: .init(name: "notes", description: "All notes of the user, as a list.")) { await notes.all }

        app.tool("add_note", "Keep a note.") { (note: Note) in await notes.add(note.text) }

        app.tool("import_notes", "Keep many notes; those that are there already are left out.") { (args: Import, cx) in
            var added = 0
            for (place, note) in args.notes.enumerated() {
                if await notes.addIfNew(note) { added += 1 }
                cx.progress(Double(place + 1), total: Double(args.notes.count), message: note)
            }
            return Imported(added: added, known: args.notes.count - added)
        }

        app.tool("clear_notes", "Delete every note, if the user agrees.", options: .init(annotations: .init(destructiveHint: true))) {
            (cx: Context) in
            let answer = try await cx.elicit("Delete all \(await notes.all.count) notes?", Consent.self)
            guard answer.content?.delete == true else { return "The notes were kept." }
            await notes.clear()
            return "The notes are gone."
        }
        return app
    }
}
