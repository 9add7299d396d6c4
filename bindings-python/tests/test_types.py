"""The generated types read and write what the specification and its peers send."""

import json
from pathlib import Path

import msgspec
import pytest
from omniport import types

EXAMPLES = sorted((Path(__file__).parents[2] / "spec" / "examples-2026-07-28").glob("*.json"))


def read(kind, value):
    return msgspec.json.decode(json.dumps(value), type=kind)


def written(value):
    return json.loads(msgspec.json.encode(value))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_of_the_specification_survives(path):
    text = path.read_text()
    name = path.name.split("_")[0]
    kind = getattr(types, name)
    if name in ("InputRequests", "InputResponses"):
        # At run time these are plain dicts; the results that carry them resolve the values.
        assert written(read(kind, json.loads(text))) == json.loads(text)
        return
    value = msgspec.json.decode(text, type=kind)
    assert type(value) is kind
    assert written(value) == json.loads(text)


def test_unknown_members_and_capabilities_are_not_fatal():  # W16
    capabilities = read(
        types.ClientCapabilities,
        {"experimental": {"vendor/x": {"a": [1]}}, "extensions": {"a.b/c": {}}, "newThing": True, "sampling": {}},
    )
    assert capabilities.experimental == {"vendor/x": {"a": [1]}}
    assert written(capabilities) == {
        "experimental": {"vendor/x": {"a": [1]}},
        "extensions": {"a.b/c": {}},
        "sampling": {},
    }
    assert read(types.Implementation, {"name": "a", "version": "1", "vendor": 1}).name == "a"


def test_unknown_kinds_are_kept_beside_the_rest():  # W17
    video = {"type": "video", "data": "AA=="}
    result = read(types.CallToolResult, {"content": [video, {"type": "text", "text": "ok"}]})
    assert result.content == [video, types.TextContent(text="ok")]
    assert written(result) == {"content": [video, {"type": "text", "text": "ok"}]}
    assert read(types.Annotations, {"audience": ["user", "robot"]}).audience == ["user", "robot"]
    assert read(types.LoggingMessageNotificationParams, {"level": "trace", "data": None}).level == "trace"


def test_one_bad_item_does_not_lose_the_result():  # Y14
    bad = [{"type": "text"}, {"type": 7}, {"no": "type"}, "text", None]
    resource = {"type": "resource", "resource": {"uri": "a:b", "text": "t", "extra": 1}, "extra": 1}
    result = read(types.CallToolResult, {"content": [*bad, resource]})
    assert result.content[:-1] == bad
    assert result.content[-1] == types.EmbeddedResource(resource=types.TextResourceContents(uri="a:b", text="t"))


def test_a_result_without_content_is_read_and_written_with_it():  # N41
    for text in ("{}", '{"content":[]}'):
        assert msgspec.json.decode(text, type=types.CallToolResult).content == []
    assert written(types.CallToolResult()) == {"content": []}


def test_a_tool_without_schema_is_read():  # F06
    tool = read(types.Tool, {"name": "t", "_meta": {"a": [1]}, "title": "T", "annotations": {"x": 1}, "icons": None})
    assert (tool.input_schema, tool.meta, tool.icons) == ({"type": "object"}, {"a": [1]}, None)
    assert written(types.Tool(name="t")) == {"name": "t", "inputSchema": {"type": "object"}}


def test_absent_members_stay_absent():  # N44
    capabilities = types.ServerCapabilities(tools=types.ServerCapabilitiesTools(), logging={})
    assert written(capabilities) == {"tools": {}, "logging": {}}


def test_numbers_are_exact():
    for number in (2**63 - 1, -(2**63)):
        request = read(types.CancelledNotificationParams, {"requestId": number})
        assert written(request) == {"requestId": number}
    progress = msgspec.json.decode('{"progressToken":1,"progress":50,"total":0.5}', type=types.ProgressNotificationParams)
    assert b'"progress":50,' in msgspec.json.encode(progress)


def test_kinds_of_a_form_field_are_told_apart():
    fields = {
        "a": ({"type": "string", "enum": ["x"], "enumNames": ["X"]}, types.LegacyTitledEnumSchema),
        "b": ({"type": "string", "enum": ["x"]}, types.UntitledSingleSelectEnumSchema),
        "c": ({"type": "string", "oneOf": [{"const": "x", "title": "X"}]}, types.TitledSingleSelectEnumSchema),
        "d": ({"type": "array", "items": {"type": "string", "enum": ["x"]}}, types.UntitledMultiSelectEnumSchema),
        "e": ({"type": "array", "items": {"anyOf": []}}, types.TitledMultiSelectEnumSchema),
        "f": ({"type": "string", "format": "email"}, types.StringSchema),
        "g": ({"type": "integer", "minimum": 1}, types.NumberSchema),
        "h": ({"type": "boolean"}, types.BooleanSchema),
        "i": ({"type": "object"}, dict),
    }
    schema = {"type": "object", "properties": {name: field for name, (field, _) in fields.items()}}
    params = read(types.ElicitRequest, {"method": "elicitation/create", "params": {"message": "m", "requestedSchema": schema}})
    assert isinstance(params.params, types.ElicitRequestFormParams)
    for name, (_, kind) in fields.items():
        assert type(params.params.requested_schema.properties[name]) is kind, name
    assert written(params)["params"]["requestedSchema"] == schema


def test_a_legacy_url_elicitation_is_read():
    params = {"mode": "url", "message": "m", "url": "https://a.example", "elicitationId": "1"}
    request = read(types.ElicitRequest, {"method": "elicitation/create", "params": params})
    assert request.params == types.ElicitRequestURLParams(message="m", url="https://a.example", elicitation_id="1")


def test_one_message_holds_one_content_or_many():
    text = {"type": "text", "text": "a"}
    for content in (text, [text], []):
        message = read(types.SamplingMessage, {"role": "user", "content": content})
        assert written(message)["content"] == content
    assert message.content == []


def test_results_of_every_revision_are_read():
    listed = {"tools": [{"name": "t", "inputSchema": {"type": "object"}}], "nextCursor": "c"}
    modern = {"resultType": "complete", "ttlMs": 5, "cacheScope": "private", "tools": []}
    tasks = {"tools": [{"name": "t", "inputSchema": {}, "execution": {"taskSupport": "optional"}}]}
    for sent in (listed, modern, tasks):
        assert written(read(types.ListToolsResult, sent)) == sent
    initialized = {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}}
    initialized["serverInfo"] = {"name": "s", "version": "1"}
    assert written(read(types.InitializeResult, initialized)) == initialized


def test_questions_and_answers_are_resolved_inside_their_results():
    asked = {"r": {"method": "roots/list"}, "x": {"method": "new/thing"}}
    result = read(types.InputRequiredResult, {"resultType": "input_required", "inputRequests": asked})
    assert result.input_requests == {"r": types.ListRootsRequest(), "x": {"method": "new/thing"}}
    answered = {"r": {"roots": []}, "e": {"action": "reject"}}
    params = read(types.CallToolRequestParams, {"name": "t", "inputResponses": answered})
    assert params.input_responses == {"r": types.ListRootsResult(roots=[]), "e": types.ElicitResult(action="reject")}


def test_constant_members_can_be_read():
    assert types.TextContent(text="a").type == "text"
    assert types.ListRootsRequest().method == "roots/list"
