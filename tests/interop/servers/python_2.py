"""The notes server on the official Python SDK, 2.x: `python_2.py stdio`, or `python_2.py http | stateless PORT`."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated

import anyio
from mcp.server.mcpserver import Context, Elicit, Image, ListRoots, MCPServer, Resolve, Sample
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    CreateMessageResult,
    EmptyResult,
    ListRootsResult,
    PromptReference,
    ResourceTemplateReference,
    SamplingMessage,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    UnsubscribeRequestParams,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel

# Logging, sampling and roots are deprecated in 2026-07-28 and still have to work.
warnings.simplefilter("ignore")

NOTES = {"first": "Buy milk", "second": "Call Ada"}
MOODS = ("warm", "wary", "cold")

app = MCPServer("notes", version="1.2.3", instructions="Ask for the weather.", log_level="ERROR")


class Weather(BaseModel):
    city: str
    celsius: float


class Order(BaseModel):
    size: str


def is_modern(cx: Context) -> bool:
    return cx.protocol_version in MODERN_PROTOCOL_VERSIONS


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


def ask_model(about: str) -> Sample:
    return Sample([SamplingMessage(role="user", content=TextContent(type="text", text=about))], max_tokens=10)


@app.tool()
async def think(about: str, thought: Annotated[CreateMessageResult, Resolve(ask_model)]) -> str:
    return thought.content.text


def ask_size() -> Elicit[Order]:
    return Elicit("Which pizza?", Order)


@app.tool()
async def order(answer: Annotated[Order, Resolve(ask_size)]) -> str:
    return answer.size


def ask_roots() -> ListRoots:
    return ListRoots()


@app.tool()
async def where(found: Annotated[ListRootsResult, Resolve(ask_roots)]) -> str:
    return ",".join(str(root.uri) for root in found.roots)


@app.tool()
async def touch(cx: Context, uri: str) -> str:
    if is_modern(cx):
        await cx.notify_resource_updated(uri)
    else:
        await cx.session.send_resource_updated(uri)
    return "touched"


@app.tool()
async def grow(cx: Context) -> str:
    app.add_tool(shout, name="grown")
    if is_modern(cx):
        await cx.notify_tools_changed()
    else:
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
async def complete(
    about: PromptReference | ResourceTemplateReference, argument: CompletionArgument, _: CompletionContext | None
) -> Completion:
    words = MOODS if isinstance(about, PromptReference) else NOTES
    return Completion(values=[word for word in words if word.startswith(argument.value)])


async def accept(*_: object) -> EmptyResult:
    return EmptyResult()


# What the high-level server leaves out.
for method, params in (
    ("logging/setLevel", SetLevelRequestParams),
    ("resources/subscribe", SubscribeRequestParams),
    ("resources/unsubscribe", UnsubscribeRequestParams),
):
    app._lowlevel_server.add_request_handler(method, params, accept)


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        app.run()
    else:
        app.run("streamable-http", port=int(sys.argv[2]), stateless_http=sys.argv[1] == "stateless")
