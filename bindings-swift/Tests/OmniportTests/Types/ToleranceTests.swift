import Omniport
import Testing

private func read<T: Decodable>(_: T.Type, _ value: JSONValue) throws -> T { try value.decode() }
private func written(_ value: some Encodable) throws -> JSONValue { try JSONValue(parsing: JSONValue(encoding: value).text()) }

/// What a later revision may add, or a peer gets wrong, does not lose the message around it.
@Suite(.timeLimit(.minutes(5))) struct ToleranceTests {
    /// W16, F06
    @Test func unknownMembersAndCapabilitiesAreNotFatal() throws {
        let capabilities = try read(ClientCapabilities.self, [
            "experimental": ["vendor/x": ["a": [1]]], "extensions": ["a.b/c": [:]], "newThing": true, "sampling": [:],
        ])
        #expect(capabilities.experimental == ["vendor/x": ["a": [1]]])
        #expect(try written(capabilities) == ["experimental": ["vendor/x": ["a": [1]]], "extensions": ["a.b/c": [:]], "sampling": [:]])
        #expect(try read(Implementation.self, ["name": "a", "version": "1", "vendor": 1]).name == "a")
    }

    /// W17
    @Test func unknownKindsAreKeptBesideTheRest() throws {
        let video: JSONValue = ["type": "video", "data": "AA=="]
        let sent: JSONValue = ["content": [video, ["type": "text", "text": "ok"]]]
        let result = try read(CallToolResult.self, sent)
        #expect(result.content == [.unknown(video), .text(TextContent(text: "ok"))])
        #expect(try written(result) == sent)
        #expect(try read(Annotations.self, ["audience": ["user", "robot"]]).audience == [.user, "robot"])
        #expect(try read(LoggingMessageNotificationParams.self, ["level": "trace", "data": nil]).level.rawValue == "trace")
    }

    /// Y14
    @Test func oneBadItemDoesNotLoseTheResult() throws {
        let bad: [JSONValue] = [["type": "text"], ["type": 7], ["no": "type"], "text", nil]
        let resource: JSONValue = ["type": "resource", "resource": ["uri": "a:b", "text": "t", "extra": 1], "extra": 1]
        let result = try read(CallToolResult.self, ["content": .array(bad + [resource])])
        #expect(Array(result.content.dropLast()) == bad.map(ContentBlock.unknown))
        let contents = TextResourceContents(text: "t", uri: "a:b")
        #expect(result.content.last == .embeddedResource(EmbeddedResource(resource: .text(contents))))
    }

    /// N41
    @Test func aResultWithoutContentIsReadAndWrittenWithIt() throws {
        #expect(try read(CallToolResult.self, [:]).content == [])
        #expect(try written(CallToolResult()) == ["content": []])
        #expect(try written(read(CallToolResult.self, ["structuredContent": nil])) == ["content": [], "structuredContent": nil])
    }

    /// F06
    @Test func aToolWithoutSchemaIsRead() throws {
        let tool = try read(Tool.self, ["name": "t", "_meta": ["a": [1]], "title": "T", "annotations": ["x": 1], "icons": nil])
        #expect(tool.inputSchema == ["type": "object"] && tool.meta == ["a": [1]] && tool.icons == nil)
        #expect(try written(Tool(name: "t")) == ["name": "t", "inputSchema": ["type": "object"]])
    }

    /// N44
    @Test func absentMembersStayAbsent() throws {
        let capabilities = ServerCapabilities(logging: [:], tools: ServerCapabilitiesTools())
        #expect(try written(capabilities) == ["tools": [:], "logging": [:]])
    }

    @Test(arguments: [RequestId.number(.max), .number(.min), "a"])
    func requestsKeepWhatTheyAreKnownBy(id: RequestId) throws {
        let params = CancelledNotificationParams(requestID: id)
        #expect(try read(CancelledNotificationParams.self, JSONValue(parsing: written(params).text())) == params)
    }

    @Test func wholeNumbersHaveNoFraction() throws {
        let params = ProgressNotificationParams(progress: 50, progressToken: 1, total: 0.5)
        #expect(try JSONValue(encoding: params).text().contains(#""progress":50,"#))
    }

    @Test func kindsOfAFormFieldAreToldApart() throws {
        let fields: JSONObject = [
            "a": ["type": "string", "enum": ["x"], "enumNames": ["X"]],
            "b": ["type": "string", "enum": ["x"]],
            "c": ["type": "string", "oneOf": [["const": "x", "title": "X"]]],
            "d": ["type": "array", "items": ["type": "string", "enum": ["x"]]],
            "e": ["type": "array", "items": ["anyOf": []]],
            "f": ["type": "string", "format": "email"],
            "g": ["type": "integer", "minimum": 1],
            "h": ["type": "boolean"],
            "i": ["type": "object"],
        ]
        let sent: JSONValue = ["message": "m", "requestedSchema": ["type": "object", "properties": .object(fields)]]
        let params = try read(ElicitRequestParams.self, sent)
        guard case .form(let form) = params else {
            Issue.record("\(params) is no form")
            return
        }
        let kinds = fields.keys.map { name in
            switch form.requestedSchema.properties[name] {
            case .legacyTitledEnum: "a"
            case .untitledSingleSelectEnum: "b"
            case .titledSingleSelectEnum: "c"
            case .untitledMultiSelectEnum: "d"
            case .titledMultiSelectEnum: "e"
            case .string: "f"
            case .number: "g"
            case .boolean: "h"
            case .unknown: "i"
            case nil: "lost"
            }
        }
        #expect(kinds == fields.keys)
        #expect(try written(params) == sent)
    }

    @Test func aLegacyURLElicitationIsRead() throws {
        let params: JSONValue = ["mode": "url", "message": "m", "url": "https://a.example", "elicitationId": "1"]
        let expected = ElicitRequestURLParams(message: "m", url: "https://a.example", elicitationID: "1")
        #expect(try read(ElicitRequest.self, ["method": "elicitation/create", "params": params]).params == .url(expected))
    }

    @Test(arguments: [["type": "text", "text": "a"], [["type": "text", "text": "a"]], []] as [JSONValue])
    func oneMessageHoldsOneContentOrMany(content: JSONValue) throws {
        let message = try read(SamplingMessage.self, ["role": "user", "content": content])
        #expect(message.content.items.count == (content == [] ? 0 : 1))
        #expect(try written(message)["content"] == content)
    }

    @Test(arguments: [
        ["tools": [["name": "t", "inputSchema": ["type": "object"]]], "nextCursor": "c"],
        ["resultType": "complete", "ttlMs": 5, "cacheScope": "private", "tools": []],
        ["tools": [["name": "t", "inputSchema": [:], "execution": ["taskSupport": "optional"]]]],
    ] as [JSONValue])
    func listsOfEveryRevisionAreRead(sent: JSONValue) throws {
        #expect(try written(read(ListToolsResult.self, sent)) == sent)
    }

    @Test func questionsAndAnswersAreResolvedInsideTheirResults() throws {
        let asked: JSONValue = ["r": ["method": "roots/list"], "x": ["method": "new/thing"]]
        let result = try read(InputRequiredResult.self, ["resultType": "input_required", "inputRequests": asked])
        #expect(result.inputRequests == ["r": .listRoots(ListRootsRequest()), "x": .unknown(["method": "new/thing"])])
        let params = try read(
            CallToolRequestParams.self, ["name": "t", "inputResponses": ["r": ["roots": []], "e": ["action": "reject"]]])
        #expect(params.inputResponses == ["r": .listRoots(ListRootsResult(roots: [])), "e": .elicit(ElicitationResult(action: "reject"))])
    }

    @Test func constantMembersCanBeRead() {
        #expect(TextContent(text: "a").type == "text")
        #expect(ListRootsRequest().method == "roots/list")
    }
}
