internal import OmniportBoundary

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
