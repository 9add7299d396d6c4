import Foundation

/// Who is calling.
public struct Principal: Sendable, Hashable, Codable {
    /// The user or service; must not be empty.
    public var subject: String
    /// The application that acts for the subject.
    public var client: String?
    /// What the caller may do.
    public var scopes: [String]?
    /// Whatever else a check found out: roles, a tenant.
    public var claims: JSONValue?

    /// A caller who was recognised.
    public init(_ subject: String, client: String? = nil, scopes: [String]? = nil, claims: JSONValue? = nil) {
        self.subject = subject
        self.client = client
        self.scopes = scopes
        self.claims = claims
    }
}

/// How many calls may be made in a time.
public struct Rate: Sendable, Hashable {
    /// Whose calls are counted together.
    public enum Scope: String, Sendable, Hashable {
        /// Those of each principal by themselves; callers without one count as one.
        case principal
        /// All of them.
        case all
    }

    /// How many.
    public var calls: Int
    /// In which time.
    public var per: Duration
    /// Without one, the calls of each principal are counted by themselves.
    public var scope: Scope?

    /// So many calls in a time.
    public init(_ calls: Int, per: Duration, by scope: Scope? = nil) {
        self.calls = calls
        self.per = per
        self.scope = scope
    }

    var json: JSONValue {
        var members: JSONObject = ["calls": JSONValue(calls), "per": .double(per.seconds)]
        members.set("by", scope?.rawValue)
        return .object(members)
    }
}

/// How long a client may keep an answer, and for whom.
///
/// See [Caching](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching).
public struct Cache: Sendable, Hashable {
    /// Who may be given a kept answer.
    public enum Scope: String, Sendable, Hashable {
        /// Everybody: it holds nothing of one caller.
        case `public`
        /// The caller who got it.
        case `private`
    }

    /// Lists and answers that can be kept.
    public enum Subject: String, Sendable, Hashable {
        /// The list of tools.
        case tools
        /// The list of resources.
        case resources
        /// The list of templates.
        case templates
        /// The list of prompts.
        case prompts
        /// What the server says about itself.
        case discover
        /// The contents of resources that say nothing themselves.
        case read
    }

    /// For how long.
    public var ttl: Duration
    /// For whom.
    public var scope: Scope

    /// An answer that is good for a time.
    public init(ttl: Duration, scope: Scope = .private) {
        self.ttl = ttl
        self.scope = scope
    }

    var json: JSONValue { ["ttl_ms": JSONValue(ttl.milliseconds), "scope": .string(scope.rawValue)] }
}

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

extension Server {
    /// Says who is calling, by the headers of the request (names in lower case); nil refuses.
    public typealias Authenticate = @Sendable (_ headers: [String: String]) async throws -> Principal?
    /// Of these names, those that the caller may see and use.
    public typealias Visible = @Sendable (_ cx: Context, _ kind: VisibleKind, _ names: [String]) async throws -> [String]

    /// What can be said of a server.
    public struct Options: Sendable {
        /// What people are shown as its name.
        public var title: String?
        /// For people: what the server is for.
        public var description: String?
        /// For the model: how the server is to be used.
        public var instructions: String?
        /// Where people find more about it.
        public var websiteURL: String?
        /// Pictures for lists.
        public var icons: [Icon]?
        /// Limits that are not the usual ones; times in seconds.
        public var limits: [Limit: Double]
        /// Items of a list that are sent at once.
        public var pageSize: Int?
        /// Whether the texts of unexpected errors are kept from callers; over HTTP they are.
        public var maskErrors: Bool?
        /// How long clients may keep lists and contents: `[.tools: Cache(ttl: .seconds(60))]`.
        public var cache: [Cache.Subject: Cache]
        /// How many calls may be made in a time, all tools together.
        public var rate: Rate?
        /// How many calls run at once.
        public var concurrency: Int?
        /// How long a call may take.
        public var timeout: Duration?
        /// Whether clients may subscribe to resources.
        public var subscribe: Bool?
        /// Whether clients of the revisions before 2026-07-28 get a session over HTTP; they do, unless this is false: each of their requests
        /// stands alone then, and they cannot be asked anything.
        public var legacySessions: Bool?
        /// Secrets of 32 bytes, newest first, which replicas share.
        public var stateKeys: [Data]

        public init(
            title: String? = nil, description: String? = nil, instructions: String? = nil, websiteURL: String? = nil,
            icons: [Icon]? = nil, limits: [Limit: Double] = [:], pageSize: Int? = nil, maskErrors: Bool? = nil,
            cache: [Cache.Subject: Cache] = [:], rate: Rate? = nil, concurrency: Int? = nil, timeout: Duration? = nil,
            subscribe: Bool? = nil, legacySessions: Bool? = nil, stateKeys: [Data] = []
        ) {
            self.title = title
            self.description = description
            self.instructions = instructions
            self.websiteURL = websiteURL
            self.icons = icons
            self.limits = limits
            self.pageSize = pageSize
            self.maskErrors = maskErrors
            self.cache = cache
            self.rate = rate
            self.concurrency = concurrency
            self.timeout = timeout
            self.subscribe = subscribe
            self.legacySessions = legacySessions
            self.stateKeys = stateKeys
        }

        /// As the engine takes them.
        func json(name: String, version: String) -> JSONObject {
            var json: JSONObject = ["name": .string(name), "version": .string(version)]
            json.set("title", title)
            json.set("description", description)
            json.set("instructions", instructions)
            json.set("website_url", websiteURL)
            json.set("icons", encoding: icons)
            if !limits.isEmpty { json["limits"] = .object(JSONObject(limits.map { ($0.rawValue, .double($1)) })) }
            json.set("page_size", pageSize)
            json.set("mask_errors", maskErrors)
            if !cache.isEmpty { json["cache"] = .object(JSONObject(cache.map { ($0.rawValue, $1.json) })) }
            json.set("rate", rate?.json)
            json.set("concurrency", concurrency)
            json.set("timeout", timeout)
            json.set("subscribe", subscribe)
            json.set("legacy_sessions", legacySessions)
            if !stateKeys.isEmpty { json.set("state_keys", texts: stateKeys.map { $0.base64EncodedString() }) }
            return json
        }
    }

    /// What can be said of a tool.
    public struct ToolOptions: Sendable {
        /// What people are shown as its name.
        public var title: String?
        /// Hints: `.init(readOnlyHint: true)`.
        public var annotations: ToolAnnotations?
        /// Pictures for lists.
        public var icons: [Icon]?
        /// Its `_meta`, for clients that know what is in it.
        public var meta: MetaObject?
        /// Published and checked in place of the schema of the arguments' type.
        public var inputSchema: JSONValue?
        /// In place of the schema of the result's type; `false`: none.
        public var outputSchema: JSONValue?
        /// How long a call may take; without it, that of the server.
        public var timeout: Duration?
        /// How many calls may be made in a time.
        public var rate: Rate?
        /// How many calls run at once.
        public var concurrency: Int?
        /// Whether a repeated retry of a call that asked its user is refused.
        public var once: Bool?
        /// Refuses arguments that the schema does not name; by default they are ignored.
        public var strict: Bool

        public init(
            title: String? = nil, annotations: ToolAnnotations? = nil, icons: [Icon]? = nil, meta: MetaObject? = nil,
            inputSchema: JSONValue? = nil, outputSchema: JSONValue? = nil, timeout: Duration? = nil, rate: Rate? = nil,
            concurrency: Int? = nil, once: Bool? = nil, strict: Bool = false
        ) {
            self.title = title
            self.annotations = annotations
            self.icons = icons
            self.meta = meta
            self.inputSchema = inputSchema
            self.outputSchema = outputSchema
            self.timeout = timeout
            self.rate = rate
            self.concurrency = concurrency
            self.once = once
            self.strict = strict
        }

        var engineOptions: JSONObject {
            var json = JSONObject()
            json.set("timeout", timeout)
            json.set("rate", rate?.json)
            json.set("concurrency", concurrency)
            json.set("once", once)
            return json
        }
    }

    /// What can be said of a resource or template.
    public struct ResourceOptions: Sendable {
        /// Without one, the URI.
        public var name: String?
        /// What people are shown as its name.
        public var title: String?
        /// What is in it.
        public var description: String?
        /// Without one: text/plain for texts, application/octet-stream for bytes, application/json for other data.
        public var mimeType: String?
        /// In bytes.
        public var size: Int?
        /// Hints: for whom it is, how important, when it changed.
        public var annotations: Annotations?
        /// Pictures for lists.
        public var icons: [Icon]?
        /// Its `_meta`, for clients that know what is in it.
        public var meta: MetaObject?
        /// How long clients may keep the contents; without it, what the server says of `read`.
        public var cache: Cache?
        /// Variables of a template whose values may hold path separators and `..` segments.
        public var unsafeVariables: [String]

        public init(
            name: String? = nil, title: String? = nil, description: String? = nil, mimeType: String? = nil, size: Int? = nil,
            annotations: Annotations? = nil, icons: [Icon]? = nil, meta: MetaObject? = nil, cache: Cache? = nil,
            unsafeVariables: [String] = []
        ) {
            self.name = name
            self.title = title
            self.description = description
            self.mimeType = mimeType
            self.size = size
            self.annotations = annotations
            self.icons = icons
            self.meta = meta
            self.cache = cache
            self.unsafeVariables = unsafeVariables
        }

        func definition(_ member: String, _ uri: String) -> JSONObject {
            var json: JSONObject = [member: .string(uri), "name": .string(name ?? uri)]
            json.set("title", title)
            json.set("description", description)
            json.set("mimeType", mimeType)
            json.set("size", size)
            json.set("annotations", encoding: annotations)
            json.set("icons", encoding: icons)
            json.set("_meta", meta.map { .object($0) })
            return json
        }

        var engineOptions: JSONObject {
            var json = JSONObject()
            json.set("cache", cache?.json)
            if !unsafeVariables.isEmpty { json.set("unsafe_variables", texts: unsafeVariables) }
            return json
        }
    }

    /// What can be said of a prompt.
    public struct PromptOptions: Sendable {
        /// What people are shown as its name.
        public var title: String?
        /// In place of those that the arguments' type has.
        public var arguments: [PromptArgument]?
        /// Pictures for lists.
        public var icons: [Icon]?
        /// Its `_meta`, for clients that know what is in it.
        public var meta: MetaObject?

        public init(title: String? = nil, arguments: [PromptArgument]? = nil, icons: [Icon]? = nil, meta: MetaObject? = nil) {
            self.title = title
            self.arguments = arguments
            self.icons = icons
            self.meta = meta
        }
    }
}
