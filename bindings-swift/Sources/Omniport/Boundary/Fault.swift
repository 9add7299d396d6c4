import Foundation
internal import OmniportBoundary

/// Makes a call of the boundary, whose failures are thrown as ``OmniportError``.
@inline(__always)
func guarded<T>(_ call: () throws -> T) throws -> T {
    do {
        return try call()
    } catch let fault as Fault {
        throw OmniportError(fault)
    }
}

extension OmniportError {
    /// The error for a failure inside the engine.
    init(_ fault: Fault) {
        switch fault {
        case .Failed(let facts): self.init(told: (try? JSONValue(parsing: facts)) ?? ["message": .string(facts)])
        }
    }

    /// The error that the engine tells as `{"kind", "code", "message", "data"?, "retry", "context"}`.
    init(told: JSONValue) {
        let context = told["context"]?.objectValue?.compactMap { name, fact in fact.stringValue.map { (name, $0) } } ?? []
        let facts = Facts(
            told["message"]?.stringValue ?? "", code: told["code"]?.intValue, data: told["data"], retry: told["retry"]?.boolValue ?? false,
            context: Dictionary(context) { _, last in last })
        self.init(kind: told["kind"]?.stringValue ?? "", facts)
    }

    /// What the engine is told of an error: `{"kind", "message", "code"?, "data"?}`. Whatever is none of ours is an internal one.
    static func refusal(for error: any Error) -> JSONValue {
        let own = error as? OmniportError ?? .internalError(Facts(text(of: error)))
        var refusal: JSONObject = ["kind": .string(own.kind), "message": .string(own.message)]
        if let code = own.code { refusal["code"] = .int(Int64(code)) }
        if let data = own.data { refusal["data"] = data }
        return .object(refusal)
    }
}

extension OmniportError: LocalizedError {
    public var errorDescription: String? { description }
}

extension ToolError: LocalizedError {
    public var errorDescription: String? { message }
}

/// The text of whatever was thrown: its own description where it has one for people.
func text(of error: any Error) -> String {
    switch error {
    case let error as DecodingError: describe(error)
    // Without the value, which is nothing for a log.
    case EncodingError.invalidValue(_, let context): describe(context)
    case let error as any LocalizedError: error.errorDescription ?? String(describing: error)
    default: String(describing: error)
    }
}

/// Where and why a value could not be decoded, on one line.
private func describe(_ error: DecodingError) -> String {
    let context: DecodingError.Context
    switch error {
    case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found): context = found
    case .keyNotFound(let key, let found):
        context = DecodingError.Context(codingPath: found.codingPath + [key], debugDescription: "is missing")
    @unknown default: return String(describing: error)
    }
    return place(context.codingPath, context.debugDescription)
}

private func describe(_ context: EncodingError.Context) -> String { place(context.codingPath, context.debugDescription) }

private func place(_ codingPath: [any CodingKey], _ text: String) -> String {
    codingPath.isEmpty ? text : "`\(path(codingPath))` \(text)"
}

/// Where a value is: `rows[1].price`.
func path(_ codingPath: [any CodingKey]) -> String {
    let path = codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
    return String(path.drop { $0 == "." })
}
