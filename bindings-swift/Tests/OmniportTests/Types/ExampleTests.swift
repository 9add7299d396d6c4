import Foundation
import Omniport
import Testing

/// Every example of the specification is read and written without a loss.
@Suite(.timeLimit(.minutes(5))) struct ExampleTests {
    static let folder = URL(filePath: #filePath).appending(path: "../../../../../spec/examples-2026-07-28").standardizedFileURL

    static let examples: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        // Whole messages are the engine's; Swift has the types of what they carry.
        return files.filter { file in types.keys.contains { file.hasPrefix("\($0)_") } }.sorted()
    }()

    static let types: [String: any (Codable & Sendable).Type] = Dictionary(
        uniqueKeysWithValues: [
            AudioContent.self, BlobResourceContents.self, BooleanSchema.self, CallToolRequestParams.self,
            CallToolResult.self, CancelledNotificationParams.self, ClientCapabilities.self, CompleteRequestParams.self,
            CompleteResult.self, CreateMessageRequest.self, CreateMessageRequestParams.self, CreateMessageResult.self,
            DiscoverResult.self, ElicitRequest.self, ElicitRequestFormParams.self, ElicitRequestURLParams.self,
            EmbeddedResource.self, GetPromptRequestParams.self, GetPromptResult.self, ImageContent.self,
            InputRequiredResult.self, InternalError.self, InvalidParamsError.self, ListPromptsResult.self,
            ListResourceTemplatesResult.self, ListResourcesResult.self, ListRootsRequest.self, ListRootsResult.self,
            ListToolsResult.self, LoggingMessageNotificationParams.self, MethodNotFoundError.self, ModelPreferences.self,
            NumberSchema.self, PaginatedRequestParams.self, ParseError.self, ProgressNotificationParams.self,
            ReadResourceResult.self, Resource.self, ResourceLink.self, ResourceUpdatedNotificationParams.self, Root.self,
            SamplingMessage.self, ServerCapabilities.self, StringSchema.self, SubscriptionsListenResult.self,
            TextContent.self, TextResourceContents.self, TitledMultiSelectEnumSchema.self, TitledSingleSelectEnumSchema.self,
            Tool.self, ToolResultContent.self, ToolUseContent.self, UntitledMultiSelectEnumSchema.self,
            UntitledSingleSelectEnumSchema.self,
        ].map { (type: any (Codable & Sendable).Type) in (String(describing: type), type) }
    ).merging(["ElicitResult": ElicitationResult.self, "InputRequests": InputRequests.self, "InputResponses": InputResponses.self]) { $1 }

    @Test(arguments: examples)
    func survives(file: String) throws {
        let example = try JSONValue(parsing: String(contentsOf: Self.folder.appending(path: file), encoding: .utf8))
        let type = try #require(Self.types[String(file.prefix { $0 != "_" })])
        func written<T: Codable>(_: T.Type) throws -> JSONValue {
            try JSONValue(parsing: JSONValue(encoding: example.decode(T.self)).text())
        }
        #expect(try written(type) == example)
    }

    @Test func areFound() { #expect(Self.examples.count > 60) }
}
