internal import OmniportBoundary

/// How a connection is.
public enum ClientState: String, Sendable {
    /// Not connected: not yet, or not any more.
    case closed
    /// The connection is being made.
    case connecting
    /// Connected.
    case ready
    /// It was lost, and is made anew.
    case recovering
    /// It was lost for good.
    case failed
    /// See ``Client/suspend()``.
    case suspended
}

/// The answer to a form of a server.
public enum ElicitAnswer: Sendable {
    /// The user filled it in.
    case accept(JSONObject)
    /// The user says no.
    case decline
    /// The user dismissed the form without an answer.
    case cancel

    /// The user filled it in: the members of `content`.
    public static func accept(encoding content: some Encodable) throws -> ElicitAnswer {
        guard case .object(let members) = try JSONValue(encoding: content) else {
            throw OmniportError.invalidParams("the content of a form is an object")
        }
        return .accept(members)
    }
}

/// The answer to the wish of a server that its user visits a URL.
public enum VisitAnswer: String, Sendable {
    /// The user agreed to visit it; whether that is done is another thing.
    case accept
    /// The user says no.
    case decline
    /// The user dismissed the question.
    case cancel
}

/// What a host answers and hears. A capability is declared when its handler is there.
///
/// Each handler runs in a task of its own, that of a question besides everything else: its task is cancelled when the server needs no
/// answer any more, or the client is closed. Those that hear run one after the other, in the order of what they are told.
public struct ClientHandlers: Sendable {
    /// Asks a model for the server.
    public var sample: (@Sendable (CreateMessageRequestParams) async throws -> CreateMessageResult)?
    /// Whether `sample` can use tools.
    public var sampleTools = false
    /// Answers forms of the server.
    public var elicit: (@Sendable (ElicitRequestFormParams) async throws -> ElicitAnswer)?
    /// Asks for consent to open a URL.
    public var elicitURL: (@Sendable (ElicitRequestURLParams) async throws -> VisitAnswer)?
    /// Gives the directories to offer.
    public var roots: (@Sendable () async throws -> [Root])?
    /// Gets log messages of the server.
    public var log: (@Sendable (LogMessage) async -> Void)?
    /// Gets the progress of calls that have no handler of their own.
    public var progress: (@Sendable (CallProgress) async -> Void)?
    /// Gets what changes at the server; subscribes to the lists of a modern server.
    public var change: (@Sendable (Change) async -> Void)?
    /// Gets the state of the connection and why it is recovering or failed.
    public var state: (@Sendable (ClientState, String?) async -> Void)?
    /// Gets each line that a server process writes to its stderr.
    public var stderr: (@Sendable (String) async -> Void)?

    public init(
        sample: (@Sendable (CreateMessageRequestParams) async throws -> CreateMessageResult)? = nil, sampleTools: Bool = false,
        elicit: (@Sendable (ElicitRequestFormParams) async throws -> ElicitAnswer)? = nil,
        elicitURL: (@Sendable (ElicitRequestURLParams) async throws -> VisitAnswer)? = nil,
        roots: (@Sendable () async throws -> [Root])? = nil, log: (@Sendable (LogMessage) async -> Void)? = nil,
        progress: (@Sendable (CallProgress) async -> Void)? = nil, change: (@Sendable (Change) async -> Void)? = nil,
        state: (@Sendable (ClientState, String?) async -> Void)? = nil, stderr: (@Sendable (String) async -> Void)? = nil
    ) {
        self.sample = sample
        self.sampleTools = sampleTools
        self.elicit = elicit
        self.elicitURL = elicitURL
        self.roots = roots
        self.log = log
        self.progress = progress
        self.change = change
        self.state = state
        self.stderr = stderr
    }
}

// MARK: - The words of the boundary

extension ClientHandlers {
    /// What the host can be asked.
    var answers: JSONValue {
        [
            "sample": .bool(sample != nil), "sample_tools": .bool(sampleTools), "elicit": .bool(elicit != nil),
            "elicit_url": .bool(elicitURL != nil), "roots": .bool(roots != nil),
        ]
    }

    /// Which notifications the engine need not keep to itself.
    var listens: JSONValue {
        ["progress": .bool(progress != nil), "log": .bool(log != nil), "stderr": .bool(stderr != nil)]
    }

    /// The text for the engine; whatever goes wrong is told to the server as an error.
    func answer(_ question: String) async -> String {
        do {
            return try JSONValue.object(["result": try await result(of: question)]).text()
        } catch {
            let refusal = OmniportError.refusal(for: error)
            return JSONValue.object(["error": refusal]).description
        }
    }

    private func result(of question: String) async throws -> JSONValue {
        guard let (kind, params) = try JSONValue(parsing: question).objectValue?.first else {
            throw OmniportError.internalError("a question has no kind")
        }
        switch (kind, sample, elicit, elicitURL, roots) {
        case ("sample", let sample?, _, _, _): return try JSONValue(encoding: await sample(params.decode()))
        case ("elicit", _, let elicit?, _, _):
            switch try await elicit(params.decode()) {
            case .accept(let content): return ["action": "accept", "content": .object(content)]
            case .decline: return ["action": "decline"]
            case .cancel: return ["action": "cancel"]
            }
        case ("elicit_url", _, _, let visit?, _): return ["action": .string(try await visit(params.decode()).rawValue)]
        case ("roots", _, _, _, let roots?): return ["roots": try JSONValue(encoding: await roots())]
        default: throw OmniportError.methodNotFound("this client answers no question of the kind \(kind)")
        }
    }
}
