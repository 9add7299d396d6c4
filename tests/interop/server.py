"""The server that other clients are driven against: `server.py stdio`, or `server.py http PORT`."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass

from omniport import Context, Server, ToolError

PICTURE = bytes(range(256))
NOTES = {"first": "Buy milk", "second": "Call Ada"}

app = Server("interop", "1.2.3", title="Interop", instructions="Ask for the weather.", subscribe=True)


@dataclass
class Weather:
    city: str
    celsius: float


@dataclass
class Order:
    size: str
    extra_cheese: bool = False


@app.tool
def weather(city: str) -> Weather:
    """Tells the weather."""
    return Weather(city, 21.5)


@app.tool
def fail() -> str:
    """Always fails."""
    raise ToolError("The oven is cold")


@app.tool
async def count(cx: Context, to: int) -> int:
    """Counts, and says how far it is."""
    for number in range(1, to + 1):
        cx.progress(number, to, f"at {number}")
        # The TypeScript clients forget who wants progress when the answer comes in the same read, so a number takes its time.
        await asyncio.sleep(0.05)
    return to


@app.tool
def chat(cx: Context) -> str:
    """Logs while it works."""
    cx.info({"state": "working"}, "chatter")
    return "done"


@app.tool
async def order(cx: Context) -> str:
    """Asks the user what to order."""
    answer = await cx.elicit("Which pizza?", Order)
    return f"{answer.action} {answer.content.size if answer.content else '-'}"


@app.tool
async def think(cx: Context, about: str) -> str:
    """Asks the client's model."""
    return (await cx.sample(about, max_tokens=10)).text


@app.tool
async def where(cx: Context) -> str:
    """Asks for the client's roots."""
    return ",".join(root["uri"] for root in await cx.list_roots())


@app.tool
def touch(uri: str) -> str:
    """Says that a resource has changed."""
    app.resource_updated(uri)
    return "touched"


@app.resource("note://welcome", mime_type="text/plain")
def welcome() -> str:
    """A note that is always there."""
    return "Welcome"


@app.resource("note://picture", mime_type="image/x-bytes")
def picture() -> bytes:
    """All bytes there are."""
    return PICTURE


@app.resource("note://{name}/text")
def note(name: str) -> str:
    """A note by its name."""
    return NOTES[name]


@app.prompt
def greet(name: str, mood: str = "warm") -> str:
    """A greeting."""
    return f"Greet {name} in a {mood} way"


@app.completion("greet", "mood")
def moods(value: str) -> list[str]:
    return [mood for mood in ("warm", "wary", "cold") if mood.startswith(value)]


@app.completion("note://{name}/text", "name")
def names(value: str) -> list[str]:
    return [name for name in NOTES if name.startswith(value)]


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        app.run()
    else:
        app.run("http", port=int(sys.argv[2]))
