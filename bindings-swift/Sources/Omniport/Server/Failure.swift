/// What a handler threw, as its caller learns of it, and as the log does.
struct Failure: Sendable {
    let kind: String
    let code: Int64?
    let message: String
    /// JSON text.
    let data: String?

    init(_ kind: String, _ message: String, code: Int64? = nil, data: String? = nil) {
        self.kind = kind
        self.code = code
        self.message = message
        self.data = data
    }

    init(_ thrown: any Error) {
        switch thrown {
        case let error as OmniportError:
            let facts = error.context.sorted { $0.key < $1.key }.map { " [\($0.key): \($0.value)]" }.joined()
            let data = error.data.flatMap { try? $0.text() }
            self.init(error.code == nil ? error.kind : "protocol", error.message + facts, code: error.code.map(Int64.init), data: data)
        case let error as ToolError: self.init("tool", error.message)
        case let error as ArgumentError: self.init("tool", error.message)
        case is CancellationError: self.init("internal", "The handler cancelled itself")
        default: self.init("internal", text(of: thrown))
        }
    }

    /// Logs what is a fault: not what callers and models are told on purpose. Arguments and results are never logged (security 47).
    static func report(_ subject: String, _ thrown: any Error) {
        guard !(thrown is OmniportError || thrown is ToolError || thrown is ArgumentError) else { return }
        log(.error, "\(subject) failed: \(text(of: thrown))")
    }
}
