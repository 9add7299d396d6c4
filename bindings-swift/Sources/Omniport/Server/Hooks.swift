internal import OmniportBoundary

/// What `visible` is asked about.
public enum VisibleKind: String, Sendable, Hashable, Codable {
    /// Tools, by their names.
    case tools
    /// Resources, by their URIs.
    case resources
    /// Templates, by their URIs.
    case templates
    /// Prompts, by their names.
    case prompts
}

/// Something that a client told the server.
public enum ServerEvent: Sendable, Hashable {
    /// Its roots are different; ``Context/listRoots(key:)`` gives the new ones.
    case rootsChanged
    /// It wants to hear of changes of a resource.
    case subscribed(uri: String)
    /// It wants to hear no more of them.
    case unsubscribed(uri: String)
}

/// What is kept of a call: who, what, how it ended; never the arguments themselves.
public struct AuditRecord: Sendable, Hashable, Decodable {
    /// "tool", "resource", "prompt" or "completion".
    public let kind: String
    /// What was called: a name, or a URI.
    public let name: String
    /// The subject of the caller; nil without authentication.
    public let principal: String?
    /// Of the arguments as they came, in hexadecimal.
    public let argumentsSHA256: String?
    /// "ok", "tool_error" (a result that says `isError`), "error", "cancelled" or "expired".
    public let outcome: String
    /// How long it took, in milliseconds.
    public let ms: Double

    private enum CodingKeys: String, CodingKey {
        case kind, name, principal, argumentsSHA256 = "arguments_sha256", outcome, ms
    }
}

/// The questions that the engine asks the server's author: who is this, what may they see, what has happened.
enum Hooks {
    static func authentication(_ authenticate: @escaping Server.Authenticate) -> Handler {
        Handler(subject: "authentication") { text, _ in
            let headers = try JSONValue(parsing: text)["headers"]?.decode([String: String].self) ?? [:]
            // Only an explicit subject lets a caller in (X12).
            guard let principal = try await authenticate(headers), !principal.subject.isEmpty else {
                throw OmniportError.refused("The credentials were refused")
            }
            return try JSON.encode(principal)
        }
    }

    static func visibility(_ visible: @escaping Server.Visible) -> Handler {
        Handler(subject: "visibility") { text, cx in
            struct Asked: Decodable {
                let kind: VisibleKind
                let names: [String]
            }
            let asked = try JSON.decode(Asked.self, from: text)
            return try JSON.encode(try await visible(cx, asked.kind, asked.names))
        }
    }

    /// An observer of what clients tell.
    static func events(_ observe: @escaping @Sendable (ServerEvent) async -> Void) -> Observer {
        Observer { text in
            guard let event = try? JSONValue(parsing: text) else { return }
            let uri = event["uri"]?.stringValue ?? ""
            switch event["event"]?.stringValue {
            case "roots_changed": await observe(.rootsChanged)
            case "subscribed": await observe(.subscribed(uri: uri))
            case "unsubscribed": await observe(.unsubscribed(uri: uri))
            default: break  // of an engine that tells more
            }
        }
    }

    /// An observer of calls.
    static func audit(_ observe: @escaping @Sendable (AuditRecord) async -> Void) -> Observer {
        Observer { text in
            do {
                await observe(try JSON.decode(AuditRecord.self, from: text))
            } catch {
                log(.error, "a record of a call could not be read: \(error)")
            }
        }
    }
}
