"""Tolerant reading: W17, Y14, Y22."""

import logging

import omniport
import pytest
from omniport import Client, types
from omniport.client import _read
from omniport.content import bytes_of


def test_what_nobody_knows_survives(raw):
    # W17, Y14
    content = [
        {"type": "video", "data": "AA=="},
        {"type": "text", "text": "ok", "annotations": {"audience": ["user", "robot"]}, "more": 1},
        {"type": "resource", "resource": {"uri": "a:b", "text": "x"}},
        {"type": "text"},
    ]
    given = {"content": content, "isError": "no", "structuredContent": {"a": 2**60}, "stopReason": "other"}
    with Client(raw) as client:
        result = client.call_tool("give", {"result": given})
        assert result.content[0] == content[0] and result.content[3] == content[3]
        assert result.content[1].text == "ok" and result.content[1].annotations.audience == ["user", "robot"]
        assert result.content[2].resource.text == "x"
        assert result.structured_content == {"a": 2**60}
        assert client.request("call_tool", {"name": "give", "arguments": {"result": given}}) == given
        with pytest.raises(omniport.ToolError):
            client.call_tool("give", {"result": {**given, "isError": True}}, raise_on_error=True)
        assert client.server_capabilities["experimental"] == {"x": {"y": 1}}


def test_one_item_does_not_lose_the_list():
    with_names = (
        b'{"tools":[{"name":"a","inputSchema":{"type":"object"},"x":1},{"title":"none"},{"name":"b","title":5}],"nextCursor":"n"}'
    )
    tools = _read.list_reader("tools", types.Tool)(with_names)
    assert [(tool.name, tool.title) for tool in tools] == [("a", None), ("b", 5)]
    page = _read.page_reader("tools", types.Tool, types.ListToolsResult)(with_names)
    assert [tool.name for tool in page.tools] == ["a", "b"] and page.next_cursor == "n"


def test_what_cannot_be_read_at_all_is_kept():
    with pytest.raises(omniport.InvalidRequest) as caught:
        _read.reader(types.GetPromptResult)(b'{"messages_":[]}')
    assert caught.value.data == {"messages_": []}
    with pytest.raises(omniport.InvalidRequest):
        _read.list_reader("tools", types.Tool)(b'{"tools":{}}')


def test_a_left_out_item_is_reported(raw, caplog):
    with caplog.at_level(logging.WARNING, "omniport"), Client(raw) as client:
        assert [tool.name for tool in client.list_tools()] == ["good", "odd"]
    assert caplog.records


@pytest.mark.parametrize("size", [0, 57, 58, 76, 99, 100])
def test_bytes_come_back_as_they_were(size):
    # Y22
    import base64

    data = bytes(range(size))
    plain = base64.b64encode(data).decode()
    for text in (plain, plain.rstrip("="), base64.urlsafe_b64encode(data).decode(), base64.encodebytes(data).decode()):
        assert bytes_of(types.ImageContent(data=text, mime_type="image/png")) == data
    assert bytes_of({"type": "audio", "data": f"data:audio/wav;base64,{plain}"}) == data
    assert bytes_of({"resource": {"uri": "a:b", "blob": plain}}) == data
    assert bytes_of(types.TextResourceContents(uri="a:b", text="é")) == "é".encode()
    with pytest.raises(ValueError, match="base64"):
        bytes_of({"data": "***"})
    with pytest.raises(ValueError, match="no bytes"):
        bytes_of(types.ResourceLink(name="a", uri="a:b"))


def test_errors_keep_every_fact():
    text = b'{"kind":"limit","code":-32603,"message":"m","data":{"a":1},"retry":true,"context":{"limit":"x","status":503}}'
    error = _read.error_of(text)
    assert isinstance(error, omniport.LimitError) and error.retry and error.code == -32603
    assert error.data == {"a": 1} and error.context == {"limit": "x", "status": "503"}
    assert "[limit: x]" in str(error)
    assert type(_read.error_of(b'{"kind":"of tomorrow","message":"m"}')) is omniport.Error


def test_pictures(demo):
    with Client(demo) as client:
        assert bytes_of(client.call_tool("picture").content[0]) == bytes(range(58))
