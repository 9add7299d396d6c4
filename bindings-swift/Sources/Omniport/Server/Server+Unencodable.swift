/// Where the result of a handler is not `Encodable`. Without these, Swift takes a closure of one expression for one without a result, and the
/// tool would answer nothing.
extension Server {
    /// No tool: the result has to be `Encodable & Sendable`.
    @available(*, deprecated, message: "the result of a tool has to be Encodable & Sendable")
    public func tool<Arguments: Decodable & Sendable, Result>(
        _ name: String, _: String? = nil, options _: ToolOptions = .init(),
        _: @escaping @Sendable (Arguments, Context) async throws -> Result
    ) { refuse(name, Result.self) }

    /// No tool: the result has to be `Encodable & Sendable`.
    @available(*, deprecated, message: "the result of a tool has to be Encodable & Sendable")
    public func tool<Arguments: Decodable & Sendable, Result>(
        _ name: String, _: String? = nil, options _: ToolOptions = .init(), _: @escaping @Sendable (Arguments) async throws -> Result
    ) { refuse(name, Result.self) }

    /// No tool: the result has to be `Encodable & Sendable`.
    @available(*, deprecated, message: "the result of a tool has to be Encodable & Sendable")
    public func tool<Result>(
        _ name: String, _: String? = nil, options _: ToolOptions = .init(), _: @escaping @Sendable (Context) async throws -> Result
    ) { refuse(name, Result.self) }

    /// No tool: the result has to be `Encodable & Sendable`.
    @available(*, deprecated, message: "the result of a tool has to be Encodable & Sendable")
    public func tool<Result>(
        _ name: String, _: String? = nil, options _: ToolOptions = .init(), _: @escaping @Sendable () async throws -> Result
    ) { refuse(name, Result.self) }

    private func refuse(_ name: String, _ result: Any.Type) {
        registry.add("tool `\(name)`") {
            throw OmniportError.definition(.init("tool `\(name)`: the result `\(result)` is not Encodable & Sendable"))
        }
    }
}
