import Foundation
import Omniport

let staticText = "static text"

/// Resources, in the order in which `standard.json` has them, and templates.
func addResources(to app: Server, _ journal: Journal) {
    app.resource("test://static", options: .init(name: "static", mimeType: "text/plain"), content: staticText)
    app.resource("test://blob", options: .init(name: "blob", mimeType: "application/octet-stream"), content: Data([0, 1, 2]))
    app.resource("test://gone", options: .init(name: "gone")) { () -> String in throw OmniportError.notFound("it is gone") }
    app.resource("test://crash", options: .init(name: "crash")) { () -> String in throw Crash() }
    app.resource("test://ask", options: .init(name: "ask")) { (cx: Context) in try await askName("ask_name", cx, journal) }

    struct Item: Decodable { let id: String }
    app.resourceTemplate("test://item/{id}", options: .init(name: "item")) { (item: Item) in item.id }
    struct Tree: Decodable { let path: String }
    app.resourceTemplate("test://tree/{+path}", options: .init(name: "tree")) { (tree: Tree) in tree.path }
}

/// Prompts.
func addPrompts(to app: Server, _ journal: Journal) {
    struct Greeting: Decodable { let name: String, style: String? }
    app.prompt("greet", "Greets someone.") { (args: Greeting) in "Greet \(args.name) in a \(args.style ?? "plain") way." }
    app.prompt("plain") { "Hello." }
    app.prompt("ask_prompt") { (cx: Context) in try await askName("ask_name", cx, journal) }
}

/// Suggestions for arguments.
func addCompletions(to app: Server) {
    app.completion(of: .prompt("greet"), argument: "style") { value, others, _ in
        let styles = ["formal", "friendly", "funny"].filter { $0.hasPrefix(value) }
        return styles + (others["name"].map { ["like \($0)"] } ?? [])
    }
    app.completion(of: .template("test://item/{id}"), argument: "id") { _, _, _ in (0..<250).map(String.init) }
    app.completion(of: .template("test://tree/{+path}"), argument: "path") { _, _, _ in Suggestions(["a/b"], total: 7, hasMore: true) }
}
