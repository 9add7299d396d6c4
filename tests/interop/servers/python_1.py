"""The notes server on the official Python SDK, 1.x: `python_1.py stdio`, or `python_1.py http | stateless | sse PORT`."""

from __future__ import annotations

import sys
from typing import Any

import anyio
from mcp.server.fastmcp import Context, FastMCP, Image
from mcp.server.fastmcp.exceptions import ToolError
from mcp.types import Completion, PromptReference, SamplingMessage, TextContent
from pydantic import BaseModel

NOTES = {"first": "Buy milk", "second": "Call Ada"}
MOODS = ("warm", "wary", "cold")

app = FastMCP("notes", instructions="Ask for the weather.", log_level="ERROR")
low = app._mcp_server
low.version = "1.2.3"


class Weather(BaseModel):
    city: str
    celsius: float


class Order(BaseModel):
    size: str


@app.tool()
def weather(city: str) -> Weather:
    return Weather(city=city, celsius=21.5)


@app.tool(structured_output=False)
def shout(text: str) -> str:
    return text.upper()


@app.tool(structured_output=False)
def big(length: int) -> str:
    return "x" * length


@app.tool(structured_output=False)
def picture() -> Image:
    return Image(data=bytes(range(256)), format="png")


@app.tool()
def fail() -> str:
    raise ToolError("The oven is cold")


@app.tool()
async def count(cx: Context, to: int) -> int:
    for number in range(1, to + 1):
        await cx.report_progress(number, to, f"at {number}")
    return to


@app.tool()
async def chat(cx: Context) -> str:
    await cx.info("working")
    return "done"


@app.tool()
async def think(cx: Context, about: str) -> str:
    question = SamplingMessage(role="user", content=TextContent(type="text", text=about))
    return (await cx.session.create_message([question], max_tokens=10, related_request_id=cx.request_id)).content.text


@app.tool()
async def order(cx: Context) -> str:
    return (await cx.elicit("Which pizza?", Order)).data.size


@app.tool()
async def where(cx: Context) -> str:
    return ",".join(str(root.uri) for root in (await cx.session.list_roots()).roots)


@app.tool()
async def touch(cx: Context, uri: str) -> str:
    await cx.session.send_resource_updated(uri)
    return "touched"


@app.tool()
async def grow(cx: Context) -> str:
    app.add_tool(shout, name="grown")
    await cx.session.send_tool_list_changed()
    return "grown"


@app.tool()
async def slow(cx: Context) -> str:
    await cx.report_progress(1)
    await anyio.sleep_forever()
    return "never"


@app.resource("note://welcome", mime_type="text/plain")
def welcome() -> str:
    return "Welcome"


@app.resource("note://picture", mime_type="image/x-bytes")
def all_bytes() -> bytes:
    return bytes(range(8))


@app.resource("note://{name}/text")
def note(name: str) -> str:
    return NOTES[name]


@app.prompt()
def greet(name: str, mood: str = "warm") -> str:
    return f"Greet {name} in a {mood} way"


@app.completion()
async def complete(about: Any, argument: Any, _: Any) -> Completion:
    words = MOODS if isinstance(about, PromptReference) else NOTES
    return Completion(values=[word for word in words if word.startswith(argument.value)])


@low.set_logging_level()
async def set_level(_: str) -> None: ...


@low.subscribe_resource()
async def subscribe(_: object) -> None: ...


@low.unsubscribe_resource()
async def unsubscribe(_: object) -> None: ...


if __name__ == "__main__":
    how = sys.argv[1]
    if how != "stdio":
        app.settings.port = int(sys.argv[2])
        app.settings.stateless_http = how == "stateless"
    app.run({"stdio": "stdio", "sse": "sse"}.get(how, "streamable-http"))
