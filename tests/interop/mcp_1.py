"""The official Python SDK, 1.x, as a client: `mcp_1.py legacy http URL` or `mcp_1.py legacy stdio COMMAND...`."""

from __future__ import annotations

import base64
import sys
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp import ClientSession, McpError, StdioServerParameters, stdio_client, types
from mcp.client.streamable_http import streamablehttp_client
from pydantic import AnyUrl
from steps import SECONDS, same, step, text_of


@asynccontextmanager
async def connected(kind: str, target: list[str], **callbacks: Any) -> Any:
    if kind == "http":
        transport = streamablehttp_client(target[0])
    else:
        transport = stdio_client(StdioServerParameters(command=target[0], args=target[1:]))
    async with transport as streams, ClientSession(streams[0], streams[1], **callbacks) as session:
        yield session


async def main(kind: str, target: list[str]) -> None:
    logs: list[Any] = []
    updates: list[str] = []
    logged, updated = anyio.Event(), anyio.Event()

    async def on_log(params: types.LoggingMessageNotificationParams) -> None:
        logs.append((params.level, params.data, params.logger))
        logged.set()

    async def on_message(message: Any) -> None:
        root = getattr(message, "root", None)
        if isinstance(root, types.ResourceUpdatedNotification):
            updates.append(str(root.params.uri))
            updated.set()

    async def on_elicit(_: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        same(sorted(params.requestedSchema["properties"]), ["extra_cheese", "size"])
        return types.ElicitResult(action="accept", content={"size": "large"})

    async def on_sample(_: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        said = f"I thought about {params.messages[0].content.text}"
        return types.CreateMessageResult(role="assistant", content=types.TextContent(type="text", text=said), model="m")

    async def on_roots(_: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=AnyUrl("file:///home"))])

    callbacks = {
        "logging_callback": on_log,
        "message_handler": on_message,
        "elicitation_callback": on_elicit,
        "sampling_callback": on_sample,
        "list_roots_callback": on_roots,
    }
    async with connected(kind, target, **callbacks) as session:
        with step("connect"):
            said = await session.initialize()
            same((said.serverInfo.name, said.serverInfo.version), ("interop", "1.2.3"))
            same((said.instructions, said.protocolVersion), ("Ask for the weather.", types.LATEST_PROTOCOL_VERSION))
        with step("ping"):
            await session.send_ping()
        with step("list"):
            tools = {tool.name: tool for tool in (await session.list_tools()).tools}
            same(sorted(tools), ["chat", "count", "fail", "order", "think", "touch", "weather", "where"])
            same(tools["weather"].inputSchema["required"], ["city"])
            same(
                sorted(str(found.uri) for found in (await session.list_resources()).resources),
                ["note://picture", "note://welcome"],
            )
            same(
                [found.uriTemplate for found in (await session.list_resource_templates()).resourceTemplates],
                ["note://{name}/text"],
            )
            same([found.name for found in (await session.list_prompts()).prompts], ["greet"])
        with step("structured"):
            result = await session.call_tool("weather", {"city": "Oslo"})
            same(result.structuredContent, {"city": "Oslo", "celsius": 21.5})
            same(result.content[0].type, "text")
        with step("tool error"):
            result = await session.call_tool("fail", {})
            same((result.isError, text_of(result)), (True, "The oven is cold"))
        with step("bad arguments"):
            result = await session.call_tool("weather", {"city": 5})
            same((result.isError, "city" in text_of(result)), (True, True))
        with step("progress"):
            seen: list[Any] = []

            async def on_progress(progress: float, total: float | None, message: str | None) -> None:
                seen.append((progress, total, message))

            await session.call_tool("count", {"to": 3}, progress_callback=on_progress)
            same(seen, [(1.0, 3.0, "at 1"), (2.0, 3.0, "at 2"), (3.0, 3.0, "at 3")])
        with step("logging"):
            await session.set_logging_level("info")
            await session.call_tool("chat", {})
            with anyio.fail_after(SECONDS):
                await logged.wait()
            same(logs, [("info", {"state": "working"}, "chatter")])
        with step("elicitation"):
            same(text_of(await session.call_tool("order", {})), "accept large")
        with step("sampling"):
            same(text_of(await session.call_tool("think", {"about": "cats"})), "I thought about cats")
        with step("roots"):
            same(text_of(await session.call_tool("where", {})), "file:///home")
        with step("read"):
            text = (await session.read_resource(AnyUrl("note://welcome"))).contents[0]
            same((text.text, text.mimeType), ("Welcome", "text/plain"))
            same((await session.read_resource(AnyUrl("note://second/text"))).contents[0].text, "Call Ada")
            blob = (await session.read_resource(AnyUrl("note://picture"))).contents[0]
            same((base64.b64decode(blob.blob), blob.mimeType), (bytes(range(256)), "image/x-bytes"))
        with step("not found"):
            try:
                await session.read_resource(AnyUrl("note://nothing"))
            except McpError as error:
                same((error.error.code, error.error.data), (-32002, {"uri": "note://nothing"}))
            else:
                raise AssertionError("a resource that is not there was read")
        with step("subscribe"):
            await session.subscribe_resource(AnyUrl("note://welcome"))
            await session.call_tool("touch", {"uri": "note://welcome"})
            with anyio.fail_after(SECONDS):
                await updated.wait()
            same(updates, ["note://welcome"])
            await session.unsubscribe_resource(AnyUrl("note://welcome"))
        with step("prompt"):
            prompt = await session.get_prompt("greet", {"name": "Ada"})
            same((prompt.messages[0].role, prompt.messages[0].content.text), ("user", "Greet Ada in a warm way"))
        with step("complete"):
            reference = types.PromptReference(type="ref/prompt", name="greet")
            found = await session.complete(reference, {"name": "mood", "value": "wa"})
            same(found.completion.values, ["warm", "wary"])
            place = types.ResourceTemplateReference(type="ref/resource", uri="note://{name}/text")
            same((await session.complete(place, {"name": "name", "value": "s"})).completion.values, ["second"])


if __name__ == "__main__":
    anyio.run(main, sys.argv[2], sys.argv[3:])
