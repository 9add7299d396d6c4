import Foundation
internal import OmniportBoundary

/// Where a server is. A text literal is the URL of one.
public struct ClientTarget: Sendable, ExpressibleByStringInterpolation {
    /// For people, without arguments and query: those may be secrets (Y28).
    let name: String
    /// Whether it is, or may be, a process that we start.
    let isProcess: Bool
    private let place: Place

    private enum Place: Sendable {
        case remote(JSONObject)
        /// Could not be read; whoever connects hears why.
        case broken(OmniportError)
        case engine(@Sendable () throws -> Engine)
    }

    private init(_ name: String, isProcess: Bool, _ place: Place) {
        self.name = name
        self.isProcess = isProcess
        self.place = place
    }

    public init(stringLiteral url: String) { self = .url(url) }

    /// A server that is reached by HTTP.
    public static func url(_ url: String) -> ClientTarget {
        ClientTarget(shown(url), isProcess: false, .remote(["url": .string(url)]))
    }

    /// A server that is reached by HTTP.
    public static func url(_ url: URL) -> ClientTarget { .url(url.absoluteString) }

    #if !os(iOS)
        /// A program that is started, and speaks over its standard input and output.
        ///
        /// - Parameters:
        ///   - command: the program and its arguments
        ///   - env: variables besides the few that it inherits
        ///   - cwd: its working directory
        public static func command(_ command: [String], env: [String: String]? = nil, cwd: String? = nil) -> ClientTarget {
            var given: JSONObject = ["command": .array(command.map { .string($0) })]
            if let env { given["env"] = .object(JSONObject(env.map { ($0, .string($1)) })) }
            if let cwd { given["cwd"] = .string(cwd) }
            return ClientTarget(command.first ?? "an empty command", isProcess: true, .remote(given))
        }
    #endif

    /// An entry of the `mcpServers` of a configuration file, as hosts have them. `${NAME}`, `${NAME:-default}` and `${env:NAME}` stand for
    /// variables of the environment.
    public static func entry(_ entry: JSONValue) -> ClientTarget {
        let command = entry["command"]?.stringValue
        let name = shown(command ?? entry["url"]?.stringValue ?? "an entry without command and URL")
        return ClientTarget(name, isProcess: command != nil, .remote(["entry": entry]))
    }

    /// The server `name` of what an `mcpServers` file holds; the name is needed where there are several.
    public static func config(_ config: JSONValue, name: String? = nil) -> ClientTarget { .config(text: "\(config)", name: name) }

    /// The server `name` of an `mcpServers` file; the name is needed where the file names several.
    public static func config(file: String, name: String? = nil) -> ClientTarget {
        do {
            return .config(text: try String(contentsOfFile: file, encoding: .utf8), name: name)
        } catch {
            let reason = OmniportError.io(.init("the file \(file) cannot be read: \(error.localizedDescription)"))
            return ClientTarget(name ?? file, isProcess: false, .broken(reason))
        }
    }

    private static func config(text: String, name: String?) -> ClientTarget {
        var given: JSONObject = ["file": .string(text)]
        if let name { given["name"] = .string(name) }
        return ClientTarget(name ?? "the only server of its file", isProcess: true, .remote(given))
    }

    /// A server of this process, whose engine `engine` gives, with what runs its handlers at work.
    static func engine(name: String, _ engine: @escaping @Sendable () throws -> Engine) -> ClientTarget {
        ClientTarget("the server `\(name)` of this process", isProcess: false, .engine(engine))
    }

    private static func shown(_ url: String) -> String { String(url.prefix { $0 != "?" }) }

    /// Starts to connect; the token whose answer says with whom.
    ///
    /// - Parameter http: settings of connections by HTTP, in the words of the boundary
    func connect(_ client: NativeClient, http: JSONObject) throws -> UInt64 {
        switch place {
        case .broken(let error): throw error
        case .engine(let engine):
            let engine = try engine()
            return try guarded { try client.connectEngine(server: engine) }
        case .remote(var given):
            if !http.isEmpty { given["http"] = .object(http) }
            let text = try JSONValue.object(given).text()
            return try guarded { try client.connectTarget(target: text) }
        }
    }
}
