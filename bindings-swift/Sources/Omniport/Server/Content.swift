import Foundation

/// A content block of a result: a text, an image, a sound, a link to a resource, or the contents of one.
public typealias Content = ContentBlock

extension ContentBlock: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { self = .text(text) }

    /// A text.
    public static func text(_ text: String) -> Self { .text(TextContent(text: text)) }

    /// An image; what is sent is base64.
    public static func image(_ data: Data, mimeType: String = "image/png") -> Self {
        .image(ImageContent(data: data.base64EncodedString(), mimeType: mimeType))
    }

    /// A sound; what is sent is base64.
    public static func audio(_ data: Data, mimeType: String = "audio/wav") -> Self {
        .audio(AudioContent(data: data.base64EncodedString(), mimeType: mimeType))
    }

    /// A pointer to a resource that the client can read on its own; the name is the URI when none is given.
    public static func link(
        _ uri: String, name: String? = nil, title: String? = nil, description: String? = nil, mimeType: String? = nil
    ) -> Self {
        var link = ResourceLink(name: name ?? uri, uri: uri)
        link.title = title
        link.description = description
        link.mimeType = mimeType
        return .resourceLink(link)
    }

    /// The contents of a resource inside a result.
    public static func embedded(_ contents: ResourceContents) -> Self { .embeddedResource(EmbeddedResource(resource: contents)) }
}

extension ResourceContents {
    /// A text, as the contents of the resource `uri`.
    public static func text(_ text: String, uri: String, mimeType: String = "text/plain") -> Self {
        .text(TextResourceContents(text: text, uri: uri, mimeType: mimeType))
    }

    /// Bytes, as the contents of the resource `uri`; what is sent is base64.
    public static func data(_ data: Data, uri: String, mimeType: String = "application/octet-stream") -> Self {
        .blob(BlobResourceContents(blob: data.base64EncodedString(), uri: uri, mimeType: mimeType))
    }
}

/// A whole result, for a handler that wants to say each part itself.
public struct ToolResult: Sendable, Hashable, Encodable {
    /// What the model reads; nil: the structured content as text.
    public var content: [Content]?
    /// Data for programs.
    public var structuredContent: JSONValue?
    /// Whether the model should read it as a failure.
    public var isError: Bool
    /// Members of the `_meta` of the result.
    public var meta: MetaObject?

    /// A result of blocks for the model, data for programs, or both.
    public init(
        _ content: [Content]? = nil, structuredContent: JSONValue? = nil, isError: Bool = false, meta: MetaObject? = nil
    ) {
        self.content = content
        self.structuredContent = structuredContent
        self.isError = isError
        self.meta = meta
    }

    /// A result of one text.
    public init(_ text: String, isError: Bool = false) { self.init([.text(text)], isError: isError) }

    private enum CodingKeys: String, CodingKey { case content, structuredContent, isError, meta = "_meta" }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if content != nil || structuredContent == nil { try container.encode(content ?? [], forKey: .content) }
        try container.encodeIfPresent(structuredContent, forKey: .structuredContent)
        if isError { try container.encode(true, forKey: .isError) }
        try container.encodeIfPresent(meta, forKey: .meta)
    }
}

/// A message of a prompt.
public typealias Message = PromptMessage

extension PromptMessage {
    /// What the user says.
    public static func user(_ content: Content) -> Self { Self(content: content, role: .user) }
    /// A text that the user says.
    public static func user(_ text: String) -> Self { user(.text(text)) }
    /// What the model says.
    public static func assistant(_ content: Content) -> Self { Self(content: content, role: .assistant) }
    /// A text that the model says.
    public static func assistant(_ text: String) -> Self { assistant(.text(text)) }
}

/// What a prompt can be: a text, a block, a message, or a list of them.
public protocol PromptContent: Sendable {
    /// What it is as messages of a prompt. A text alone is the user's.
    var messages: [Message] { get }
}

extension PromptMessage: PromptContent {
    public var messages: [Message] { [self] }
}

extension ContentBlock: PromptContent {
    public var messages: [Message] { [.user(self)] }
}

extension String: PromptContent {
    public var messages: [Message] { [.user(self)] }
}

extension Array: PromptContent where Element: PromptContent {
    public var messages: [Message] { flatMap(\.messages) }
}

/// Suggestions for an argument, when there are more than are said.
public struct Suggestions: Sendable, Hashable, Encodable {
    /// Those that are said; at most a hundred reach the client.
    public var values: [String]
    /// How many there are in all.
    public var total: Int?
    /// Whether there are more, where their number is not known.
    public var hasMore: Bool?

    /// Suggestions, and how many there are besides.
    public init(_ values: [String], total: Int? = nil, hasMore: Bool? = nil) {
        self.values = values
        self.total = total
        self.hasMore = hasMore
    }
}
