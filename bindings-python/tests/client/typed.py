# pyright: strict
"""What type checkers infer for both faces of a client. Checked by `make lint`, never run."""

from omniport import types
from omniport.client import Client, SyncClient
from typing_extensions import assert_type


async def awaits() -> None:
    async with Client("http://localhost/mcp") as client:
        assert_type(client, Client)
        assert_type(await client.call_tool("add", {"a": 1}, timeout=2), types.CallToolResult)
        assert_type(await client.list_tools(), list[types.Tool])
        assert_type(await client.list_tools_page(), types.ListToolsResult)
        assert_type(await client.by_hand.call_tool("add"), types.CallToolResult | types.InputRequiredResult)
        await client.call_tool("add", tmeout=2)  # pyright: ignore[reportCallIssue]
        async for change in client.listen():
            assert_type(change.added, list[str])


def waits() -> None:
    with Client(["server"]) as client:
        assert_type(client, SyncClient)
        assert_type(client.call_tool("add", {"a": 1}, on_progress=print), types.CallToolResult)
        assert_type(client.by_hand.get_prompt("greet"), types.GetPromptResult | types.InputRequiredResult)
        for change in client.listen(tools=False):
            assert_type(change.uri, str | None)
