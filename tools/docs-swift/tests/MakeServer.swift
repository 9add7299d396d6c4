import Omniport

/// What the tests of the documents are of.
func makeServer() -> Server {
    struct Add: Decodable { let a: Int, b: Int }
    let app = Server(name: "demo")
    app.tool("add", "Add two numbers.") { (args: Add) in args.a + args.b }
    return app
}
