/// A failure of a tool that the model should read and act on: the result says `isError` and carries this text.
public struct ToolError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the model reads.
    public var message: String

    /// A failure with the text that the model reads.
    public init(_ message: String) { self.message = message }

    public var description: String { message }
}
