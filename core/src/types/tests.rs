use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::*;

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_str(&value.to_string()).unwrap()
}

fn written<T: Serialize>(value: &T) -> Value {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

fn again<T: DeserializeOwned + Serialize>(value: Value) -> Value {
    written(&read::<T>(value))
}

/// Reads and writes an example as the type its file is named for.
macro_rules! by_name {
    ($name:expr, $value:expr; $($kind:ident)+) => {
        match $name {
            $(stringify!($kind) => again::<$kind>($value),)+
            other => panic!("no type for {other}"),
        }
    };
}

fn again_by_name(name: &str, value: Value) -> Value {
    by_name!(name, value;
        AudioContent BlobResourceContents BooleanSchema CallToolRequest CallToolRequestParams CallToolResult
        CallToolResultResponse CancelledNotification CancelledNotificationParams ClientCapabilities CompleteRequest
        CompleteRequestParams CompleteResult CompleteResultResponse CreateMessageRequest CreateMessageRequestParams
        CreateMessageResult DiscoverRequest DiscoverResult DiscoverResultResponse ElicitRequest
        ElicitRequestFormParams ElicitRequestURLParams ElicitResult EmbeddedResource GetPromptRequest
        GetPromptRequestParams GetPromptResult GetPromptResultResponse HeaderMismatchError ImageContent InputRequests
        InputRequiredResult InputResponses InternalError InvalidParamsError ListPromptsRequest ListPromptsResult
        ListPromptsResultResponse ListResourceTemplatesRequest ListResourceTemplatesResult
        ListResourceTemplatesResultResponse ListResourcesRequest ListResourcesResult ListResourcesResultResponse
        ListRootsRequest ListRootsResult ListToolsRequest ListToolsResult ListToolsResultResponse
        LoggingMessageNotification LoggingMessageNotificationParams MethodNotFoundError
        MissingRequiredClientCapabilityError ModelPreferences NumberSchema PaginatedRequestParams ParseError
        ProgressNotification ProgressNotificationParams PromptListChangedNotification ReadResourceRequest
        ReadResourceResult ReadResourceResultResponse Resource ResourceLink ResourceListChangedNotification
        ResourceUpdatedNotification ResourceUpdatedNotificationParams Root SamplingMessage ServerCapabilities
        StringSchema SubscriptionsAcknowledgedNotification SubscriptionsListenRequest SubscriptionsListenResult
        SubscriptionsListenResultResponse TextContent TextResourceContents TitledMultiSelectEnumSchema
        TitledSingleSelectEnumSchema Tool ToolListChangedNotification ToolResultContent ToolUseContent
        UnsupportedProtocolVersionError UntitledMultiSelectEnumSchema UntitledSingleSelectEnumSchema
    )
}

#[test]
fn every_example_of_the_specification_survives() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/examples-2026-07-28");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let (name, _) = stem.split_once('_').unwrap();
        let value: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(again_by_name(name, value.clone()), value, "{stem}");
        count += 1;
    }
    assert!(count > 100, "only {count} examples");
}

#[test]
fn unknown_members_and_capabilities_are_not_fatal() {
    // W16
    let known = json!({"experimental": {"vendor/x": {"a": [1]}}, "extensions": {"a.b/c": {}}, "sampling": {}});
    let mut sent = known.clone();
    sent["newThing"] = json!(true);
    assert_eq!(again::<ClientCapabilities>(sent), known);
    assert_eq!(
        read::<Implementation>(json!({"name": "a", "version": "1", "vendor": 1})),
        Implementation::new("a", "1")
    );
}

#[test]
fn unknown_kinds_are_kept_beside_the_rest() {
    // W17
    let video = json!({"type": "video", "data": "AA=="});
    let sent = json!({"content": [video, {"type": "text", "text": "ok"}]});
    let result: CallToolResult = read(sent.clone());
    assert_eq!(result.content, [ContentBlock::Unknown(video), TextContent::new("ok").into()]);
    assert_eq!(written(&result), sent);
    let audience = read::<Annotations>(json!({"audience": ["user", "robot"]})).audience.unwrap();
    assert_eq!(audience, [Role::User, Role::Unknown("robot".into())]);
    let log = json!({"level": "trace", "data": null});
    assert_eq!(again::<LoggingMessageNotificationParams>(log.clone()), log);
}

#[test]
fn one_bad_item_does_not_lose_the_result() {
    // Y14
    let bad = [json!({"type": "text"}), json!({"type": 7}), json!({"no": "type"}), json!("text"), json!(null)];
    let resource = json!({"type": "resource", "resource": {"uri": "a:b", "text": "t", "extra": 1}, "extra": 1});
    let result: CallToolResult = read(json!({"content": [bad[0], bad[1], bad[2], bad[3], bad[4], resource]}));
    assert_eq!(result.content[..5], bad.map(ContentBlock::Unknown));
    assert_eq!(result.content[5], EmbeddedResource::new(TextResourceContents::new("t", "a:b")).into());
}

#[test]
fn a_result_without_content_is_read_and_written_with_it() {
    // N41
    assert_eq!(again::<CallToolResult>(json!({})), json!({"content": []}));
    assert_eq!(again::<CallToolResult>(json!({"content": []})), json!({"content": []}));
}

#[test]
fn a_tool_without_schema_is_read() {
    // F06
    let sent = json!({"name": "t", "_meta": {"a": [1]}, "title": "T", "annotations": {"x": 1}, "icons": null});
    let tool: Tool = read(sent);
    assert_eq!((tool.icons, tool.title.as_deref()), (None, Some("T")));
    assert_eq!(again::<Tool>(json!({"name": "t"})), json!({"name": "t", "inputSchema": {"type": "object"}}));
}

#[test]
fn absent_members_stay_absent() {
    // N44
    let capabilities = ServerCapabilities {
        tools: Some(ServerCapabilitiesTools::default()),
        logging: Some(JSONObject::new()),
        ..Default::default()
    };
    assert_eq!(written(&capabilities), json!({"tools": {}, "logging": {}}));
    for structured in [json!({"content": []}), json!({"content": [], "structuredContent": null})] {
        assert_eq!(again::<CallToolResult>(structured.clone()), structured);
    }
}

#[test]
fn numbers_are_exact() {
    for number in [i64::MAX, i64::MIN] {
        let sent = json!({"requestId": number});
        assert_eq!(again::<CancelledNotificationParams>(sent.clone()), sent);
    }
    let progress = ProgressNotificationParams::new(50.0, 1);
    assert_eq!(serde_json::to_string(&progress).unwrap(), r#"{"progress":50,"progressToken":1}"#);
}

#[test]
fn kinds_of_a_form_field_are_told_apart() {
    use PrimitiveSchemaDefinition as Kind;
    let schema: ElicitRequestFormParamsRequestedSchema = read(json!({"type": "object", "properties": {
        "a": {"type": "string", "enum": ["x"], "enumNames": ["X"]},
        "b": {"type": "string", "enum": ["x"]},
        "c": {"type": "string", "oneOf": [{"const": "x", "title": "X"}]},
        "d": {"type": "array", "items": {"type": "string", "enum": ["x"]}},
        "e": {"type": "array", "items": {"anyOf": []}},
        "f": {"type": "string", "format": "email"},
        "g": {"type": "integer", "minimum": 1},
        "h": {"type": "boolean"},
        "i": {"type": "object"},
    }}));
    let kinds: Vec<_> = schema.properties.into_values().collect();
    assert!(matches!(kinds[0], Kind::LegacyTitledEnum(_)));
    assert!(matches!(kinds[1], Kind::UntitledSingleSelectEnum(_)));
    assert!(matches!(kinds[2], Kind::TitledSingleSelectEnum(_)));
    assert!(matches!(kinds[3], Kind::UntitledMultiSelectEnum(_)));
    assert!(matches!(kinds[4], Kind::TitledMultiSelectEnum(_)));
    assert!(matches!(kinds[5], Kind::String(_)));
    assert!(matches!(kinds[6], Kind::Number(_)));
    assert!(matches!(kinds[7], Kind::Boolean(_)));
    assert!(matches!(kinds[8], Kind::Unknown(_)));
}

#[test]
fn a_legacy_url_elicitation_is_read() {
    let sent = json!({"mode": "url", "message": "m", "url": "https://a.example", "elicitationId": "1"});
    let ElicitRequestParams::Url(params) = read(sent.clone()) else { panic!("not the URL mode") };
    assert_eq!(written(&params), sent);
    let form = json!({"message": "m", "requestedSchema": {"type": "object", "properties": {}}});
    assert!(matches!(read(form), ElicitRequestParams::Form(_)));
}

#[test]
fn one_message_holds_one_content_or_many() {
    let text = json!({"type": "text", "text": "a"});
    for content in [text.clone(), json!([text]), json!([])] {
        let sent = json!({"role": "user", "content": content});
        let message: SamplingMessage = read(sent.clone());
        assert_eq!(written(&message), sent);
        assert_eq!(message.content.as_slice().len(), content.as_array().map_or(1, Vec::len));
    }
}

#[test]
fn results_of_every_revision_are_read() {
    let listed = json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}], "nextCursor": "c"});
    let modern = json!({"resultType": "complete", "ttlMs": 5, "cacheScope": "private", "tools": []});
    let tasks = json!({"tools": [{"name": "t", "inputSchema": {}, "execution": {"taskSupport": "optional"}}]});
    for sent in [listed, modern, tasks] {
        assert_eq!(again::<ListToolsResult>(sent.clone()), sent);
    }
    let info = json!({"name": "s", "version": "1"});
    let initialized = json!({"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": info});
    assert_eq!(again::<InitializeResult>(initialized.clone()), initialized);
}

#[test]
fn questions_and_answers_are_resolved_inside_their_results() {
    let asked = json!({"r": {"method": "roots/list"}, "x": {"method": "new/thing"}});
    let result: InputRequiredResult = read(json!({"resultType": "input_required", "inputRequests": asked}));
    let requests = result.input_requests.unwrap();
    assert_eq!(requests["r"], ListRootsRequest::default().into());
    assert!(matches!(requests["x"], InputRequest::Unknown(_)));
    let mut params = CallToolRequestParams::new("t");
    params.input_responses = Some(read(json!({"e": {"action": "reject"}})));
    assert_eq!(params.input_responses.unwrap()["e"], ElicitResult::new("reject").into());
}
