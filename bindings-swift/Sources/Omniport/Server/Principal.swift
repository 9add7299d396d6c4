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
