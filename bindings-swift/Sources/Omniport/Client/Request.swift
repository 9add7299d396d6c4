/// One request as the boundary takes it.
struct Request: Sendable {
    /// How the engine is to treat it.
    enum Manner: String {
        case onePage = "one_page"
        case byHand = "by_hand"
    }

    let what: String
    let params: String
    let options: String?
    let handlers: CallHandlers?

    init(_ what: String, _ params: JSONObject, _ given: CallOptions? = nil, manner: Manner? = nil) throws {
        self.what = what
        guard given != nil || manner != nil else {
            self.params = try JSONValue.object(params).text()
            options = nil
            handlers = nil
            return
        }
        let given = given ?? CallOptions()
        var params = params
        if !given.meta.isEmpty { params["_meta"] = .object(given.meta) }
        self.params = try JSONValue.object(params).text()
        options = try JSONValue.object(Self.options(given, manner)).text()
        let hears = given.onProgress != nil || given.onLog != nil
        handlers = hears ? CallHandlers(progress: given.onProgress, log: given.onLog, lane: Lane()) : nil
    }

    private static func options(_ given: CallOptions, _ manner: Manner?) throws -> JSONObject {
        var options: JSONObject = [:]
        if let manner { options[manner.rawValue] = true }
        if let timeout = given.timeout { options["timeout"] = try seconds("timeout", timeout) }
        if let total = given.totalTimeout { options["total_timeout"] = try seconds("totalTimeout", total) }
        if !given.headers.isEmpty { options["headers"] = .object(JSONObject(given.headers.map { ($0, .string($1)) })) }
        if let safe = given.safe { options["safe"] = .bool(safe) }
        if given.fresh { options["fresh"] = true }
        var listens: JSONObject = [:]
        if given.onProgress != nil { listens["progress"] = true }
        if given.onLog != nil { listens["log"] = true }
        if !listens.isEmpty { options["listens"] = .object(listens) }
        return options
    }
}

/// A time as the boundary has it.
///
/// - Throws: ``OmniportError/definition(_:)`` for one that is not positive.
func seconds(_ name: String, _ duration: Duration) throws -> JSONValue {
    guard duration.seconds > 0 else { throw OmniportError.definition("`\(name)` must be a positive time, got \(duration)") }
    return .double(duration.seconds)
}
