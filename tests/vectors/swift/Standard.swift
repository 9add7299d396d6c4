import Foundation
import Omniport

/// The server with a vector's settings, and how it is served over HTTP by itself.
func standardServer(_ given: JSONObject) throws -> (app: Server, http: HTTPOptions) {
    var settings = given
    func take(_ name: String) -> JSONValue? {
        defer { settings[name] = nil }
        return settings[name]
    }
    func isSet(_ name: String) -> Bool { take(name)?.boolValue ?? false }

    let kinds = take("only")?.arrayValue?.compactMap(\.stringValue) ?? ["tools", "resources", "prompts", "completions"]
    var http = HTTPOptions(port: 0)
    http.threads = 1  // so that requests are taken in the order in which they were sent
    http.jsonOnly = isSet("json_only")
    http.allowedHosts = take("allowed_hosts")?.arrayValue?.compactMap(\.stringValue) ?? []
    http.corsOrigins = take("cors_origin")?.stringValue.map { [$0] } ?? []

    var options = Server.Options()
    options.instructions = take("instructions")?.stringValue
    options.pageSize = take("page_size")?.intValue
    options.maskErrors = take("mask_errors")?.boolValue
    options.concurrency = take("concurrency")?.intValue
    options.subscribe = !isSet("no_subscriptions")
    options.legacySessions = !isSet("stateless")
    let (isPrivate, isPartial) = (isSet("auth"), isSet("visibility"))
    // What is left has the names of limits; the engine refuses others.
    options.limits = Dictionary(uniqueKeysWithValues: settings.map { (Limit(rawValue: $0.key), $0.value.doubleValue ?? 0) })

    let (journal, audits) = (Journal(), Audits())
    let app = Server(
        name: "standard", version: "1.0.0", options: options, auth: isPrivate ? authenticate : nil, visible: isPartial ? visible : nil,
        audit: { await audits.tell($0) }, onEvent: { await journal.note($0) })
    if kinds.contains("tools") {
        try addAnswers(to: app, journal)
        addNotices(to: app, audits)
        addChanges(to: app)
        addQuestions(to: app, journal)
    }
    if kinds.contains("resources") { addResources(to: app, journal) }
    if kinds.contains("prompts") { addPrompts(to: app, journal) }
    if kinds.contains("completions") { addCompletions(to: app) }
    return (app, http)
}

/// `Authorization: Bearer <subject>-<anything>` is the subject's.
@Sendable private func authenticate(_ headers: [String: String]) -> Principal? {
    let words = headers["authorization"]?.split(separator: " ", maxSplits: 1) ?? []
    guard words.first == "Bearer", let dash = words.last?.firstIndex(of: "-"), let subject = words.last?[..<dash] else { return nil }
    return Principal(String(subject), client: "vectors")
}

/// What begins with `private_` is for `alice` alone.
@Sendable private func visible(_ cx: Context, _ kind: VisibleKind, _ names: [String]) -> [String] {
    cx.principal?.subject == "alice" ? names : names.filter { !$0.hasPrefix("private_") }
}

/// What the vectors look at afterwards: what clients told, and which handlers were cancelled.
actor Journal {
    private var entries: [String] = []

    func note(_ entry: String) { entries.append(entry) }

    func note(_ event: ServerEvent) {
        switch event {
        case .rootsChanged: note("roots changed")
        case .subscribed(let uri): note("subscribed \(uri)")
        case .unsubscribed(let uri): note("unsubscribed \(uri)")
        }
    }

    /// All entries, which are gone then.
    func take() -> String {
        defer { entries = [] }
        return entries.joined(separator: "; ")
    }

    /// Runs a handler that waits. Of its errors a missing capability is the protocol's, any other of Omniport the tool's.
    nonisolated func noting<Result>(
        _ name: String, _ cx: Context, _ handle: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await handle()
        } catch {
            if cx.isCancelled { await note("\(name) cancelled") }
            guard let error = error as? OmniportError else { throw error }
            if case .missingCapability = error { throw error }
            throw ToolError(error.message)
        }
    }
}

/// Who hears of finished calls.
actor Audits {
    private var listeners: [AsyncStream<AuditRecord>.Continuation] = []

    func tell(_ record: AuditRecord) {
        // Beside the log, where the runner looks for what must not be there.
        FileHandle.standardError.write(Data("audit: \(record)\n".utf8))
        for listener in listeners { listener.yield(record) }
    }

    /// Those of calls that end from now on.
    func records() -> AsyncStream<AuditRecord> {
        let (records, listener) = AsyncStream.makeStream(of: AuditRecord.self)
        listeners.append(listener)
        return records
    }
}
