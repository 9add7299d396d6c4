/// This project in Swift for the bench, with the defaults a user gets: `Bench stdio` and `Bench http PORT` serve its tools, `Bench client URL
/// IN_FLIGHT WARM SECONDS` calls them.
@main
struct Bench {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "stdio" where words.count == 1: try await BenchServer.make().run(.stdio)
        case "http" where words.count == 2: try await BenchServer.make().run(.http(port: Int(words[1]) ?? 0))
        case "client" where words.count == 5:
            let load = Load(inFlight: Int(words[2]) ?? 1, warm: Double(words[3]) ?? 0, seconds: Double(words[4]) ?? 1)
            print(try await load.run(on: words[1]))
        default: throw Usage()
        }
    }

    struct Usage: Error, CustomStringConvertible {
        let description = "usage: stdio | http PORT | client URL IN_FLIGHT WARM SECONDS"
    }
}
