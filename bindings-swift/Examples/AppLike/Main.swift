/// An app that is its own server: what its assistant may do with the user's notes are tools of a server in the same process, and the app asks
/// it as it would ask any other. Nothing listens and nothing is started, so it works on iOS, too.
///
/// `Notebook` is the data, `NotesServer` what may be done with it, `Assistant` the client and its life, `Screen` what the user sees. Here a
/// script takes the part of the user.
@main
struct NotesApp {
    static func main() async throws {
        let screen = Screen(answers: [.decline, .accept(["delete": true])])
        let assistant = Assistant(of: Notebook(["Buy milk", "Call Ada"]), on: screen)

        // The app comes to the front, and its user works with it.
        try await assistant.enter(.active)
        try await assistant.add("Water the plants")
        try await assistant.importNotes(["Book a table", "Buy milk", "Write to Bob"])
        try await assistant.refresh()
        try await assistant.clear()  // the user is asked, and says no

        // The system may stop an app in the background at any time. What is asked meanwhile waits until the app is back.
        try await assistant.enter(.background)
        let patient = Task { try await assistant.add("Feed the cat") }
        try await assistant.enter(.active)
        try await patient.value

        try await assistant.clear()  // now the user agrees
        try await assistant.refresh()
        await assistant.quit()
    }
}
