"""The official Python SDK, 2.x, as a client: `mcp_2.py ERA http URL` or `mcp_2.py ERA stdio COMMAND...`."""

from __future__ import annotations

import base64
import sys
import warnings
from typing import Any

import anyio
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import ResourceUpdated
from steps import SECONDS, same, step, text_of

# Logging, roots and sampling are deprecated in 2026-07-28 and still have to work.
warnings.simplefilter("ignore")


async def main(era: str, kind: str, target: list[str]) -> None:
    logs: list[Any] = []
    updates: list[str] = []
    logged, updated = anyio.Event(), anyio.Event()

    async def on_log(params: types.LoggingMessageNotificationParams) -> None:
        logs.append((params.level, params.data, params.logger))
        logged.set()

    async def on_message(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            updates.append(str(message.params.uri))
            updated.set()

    async def on_elicit(_: Any, params: Any) -> types.ElicitResult:
        same(sorted(params.requested_schema["properties"]), ["extra_cheese", "size"])
        return types.ElicitResult(action="accept", content={"size": "large"})

    async def on_sample(_: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        said = f"I thought about {params.messages[0].content.text}"
        return types.CreateMessageResult(role="assistant", content=types.TextContent(type="text", text=said), model="m")

    async def on_roots(_: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri="file:///home")])

    server = target[0] if kind == "http" else StdioServerParameters(command=target[0], args=target[1:])
    modern = era == "modern"
    client = Client(
        server,
        mode="auto" if modern else "legacy",
        log_level="info" if modern else None,
        logging_callback=on_log,
        message_handler=on_message,
        elicitation_callback=on_elicit,
        sampling_callback=on_sample,
        list_roots_callback=on_roots,
        cache=None,
    )
    async with client:
        with step("connect"):
            said = client.server_info
            same((said.name, said.version, client.instructions), ("interop", "1.2.3", "Ask for the weather."))
            same(client.protocol_version, "2026-07-28" if modern else "2025-11-25")
        with step("ping"):
            if modern:
                await client.session.discover()  # there is no ping any more
            else:
                await client.send_ping()
        with step("list"):
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            same(sorted(tools), ["chat", "count", "fail", "order", "think", "touch", "weather", "where"])
            same(tools["weather"].input_schema["required"], ["city"])
            same(
                sorted(found.uri for found in (await client.list_resources()).resources),
                ["note://picture", "note://welcome"],
            )
            same(
                [found.uri_template for found in (await client.list_resource_templates()).resource_templates],
                ["note://{name}/text"],
            )
            same([found.name for found in (await client.list_prompts()).prompts], ["greet"])
        with step("structured"):
            result = await client.call_tool("weather", {"city": "Oslo"})
            same(result.structured_content, {"city": "Oslo", "celsius": 21.5})
            same(result.content[0].type, "text")
        with step("tool error"):
            result = await client.call_tool("fail", {})
            same((result.is_error, text_of(result)), (True, "The oven is cold"))
        with step("bad arguments"):
            result = await client.call_tool("weather", {"city": 5})
            same((result.is_error, "city" in text_of(result)), (True, True))
        with step("progress"):
            seen: list[Any] = []

            async def on_progress(progress: float, total: float | None, message: str | None) -> None:
                seen.append((progress, total, message))

            await client.call_tool("count", {"to": 3}, progress_callback=on_progress)
            same(seen, [(1.0, 3.0, "at 1"), (2.0, 3.0, "at 2"), (3.0, 3.0, "at 3")])
        with step("logging"):
            if not modern:
                await client.set_logging_level("info")
            await client.call_tool("chat", {})
            with anyio.fail_after(SECONDS):
                await logged.wait()
            same(logs, [("info", {"state": "working"}, "chatter")])
        with step("elicitation"):
            same(text_of(await client.call_tool("order", {})), "accept large")
        with step("sampling"):
            same(text_of(await client.call_tool("think", {"about": "cats"})), "I thought about cats")
        with step("roots"):
            same(text_of(await client.call_tool("where", {})), "file:///home")
        with step("read"):
            text = (await client.read_resource("note://welcome")).contents[0]
            same((text.text, text.mime_type), ("Welcome", "text/plain"))
            same((await client.read_resource("note://second/text")).contents[0].text, "Call Ada")
            blob = (await client.read_resource("note://picture")).contents[0]
            same((base64.b64decode(blob.blob), blob.mime_type), (bytes(range(256)), "image/x-bytes"))
        with step("not found"):
            try:
                await client.read_resource("note://nothing")
            except MCPError as error:
                same((error.error.code, error.error.data), (-32602 if modern else -32002, {"uri": "note://nothing"}))
            else:
                raise AssertionError("a resource that is not there was read")
        with step("subscribe"):
            if modern:
                async with client.listen(resource_subscriptions=["note://welcome"]) as events:
                    await client.call_tool("touch", {"uri": "note://welcome"})
                    with anyio.fail_after(SECONDS):
                        same(await anext(events), ResourceUpdated(uri="note://welcome"))
            else:
                await client.subscribe_resource("note://welcome")
                await client.call_tool("touch", {"uri": "note://welcome"})
                with anyio.fail_after(SECONDS):
                    await updated.wait()
                same(updates, ["note://welcome"])
                await client.unsubscribe_resource("note://welcome")
        with step("prompt"):
            prompt = await client.get_prompt("greet", {"name": "Ada"})
            same((prompt.messages[0].role, prompt.messages[0].content.text), ("user", "Greet Ada in a warm way"))
        with step("complete"):
            reference = types.PromptReference(type="ref/prompt", name="greet")
            found = await client.complete(reference, {"name": "mood", "value": "wa"})
            same(found.completion.values, ["warm", "wary"])
            place = types.ResourceTemplateReference(type="ref/resource", uri="note://{name}/text")
            same((await client.complete(place, {"name": "name", "value": "s"})).completion.values, ["second"])


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], sys.argv[2], sys.argv[3:])
