"""Servers to be clients of: one on this package, and one in plain Python that does what no good server does."""

import sys
import textwrap
from pathlib import Path

DEMO = """
import asyncio, os, sys
from omniport import Context, Image, Server, ToolError

app = Server("demo", "1.0")

@app.tool
def add(a: int, b: int = 2) -> int:
    "Add two numbers."
    return a + b

@app.tool
async def wait(seconds: float = 60.0) -> str:
    await asyncio.sleep(seconds)
    return "waited"

@app.tool
async def steps(cx: Context, count: int = 3) -> int:
    for step in range(count):
        await cx.progress(step + 1, count)
    return count

@app.tool
async def ask(cx: Context) -> str:
    answer = await cx.elicit("Your name?", {"type": "object", "properties": {"name": {"type": "string"}}})
    return f"{answer.action} {answer.content}"

@app.tool
async def think(cx: Context) -> str:
    return (await cx.sample("What?")).text

@app.tool
async def where(cx: Context) -> list[str]:
    return [root["uri"] for root in await cx.list_roots()]

@app.tool
def fail() -> int:
    raise ToolError("read this")

@app.tool
def picture() -> Image:
    return Image(bytes(range(58)))

@app.tool
def pid() -> int:
    return os.getpid()

@app.tool
def grow(name: str) -> str:
    app.add_tool(lambda: "new", name=name)
    return name

@app.resource("text://{name}")
def text(name: str) -> str:
    return f"text of {name}"

@app.prompt
def greet(name: str) -> str:
    return f"Greet {name}."

if __name__ == "__main__":
    app.run()
"""

RAW = """
import json, sys, time

def send(message):
    sys.stdout.write(json.dumps(message) + "\\n")

def say(method, **params):
    send({"jsonrpc": "2.0", "method": method, "params": params})

RESULT = {"content": [{"type": "text", "text": "done"}]}

def call(number, name, arguments, meta):
    result = RESULT
    if name == "flood":
        for n in range(arguments["count"]):
            say("notifications/message", level="info", data=n)
    elif name == "late":
        time.sleep(arguments["seconds"])
    elif name == "give":
        result = arguments["result"]
    elif name == "die":
        sys.stderr.write("no more\\n")
        sys.exit(7)
    send({"jsonrpc": "2.0", "id": number, "result": result})

for line in sys.stdin:
    message = json.loads(line)
    number, params = message.get("id"), message.get("params") or {}
    if message.get("method") == "initialize":
        send({"jsonrpc": "2.0", "id": number, "result": {
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "logging": {}, "experimental": {"x": {"y": 1}}},
            "serverInfo": {"name": "raw", "version": "0"}}})
    elif message.get("method") == "tools/list":
        tools = [{"name": "good", "inputSchema": {"type": "object"}, "extra": 1}, {"title": "nameless"},
                 {"name": "odd", "inputSchema": {"type": "object"}, "title": 5}]
        send({"jsonrpc": "2.0", "id": number, "result": {"tools": tools}})
    elif message.get("method") == "tools/call":
        call(number, params["name"], params.get("arguments", {}), params.get("_meta", {}))
    elif message.get("method") == "notifications/roots/list_changed":
        say("notifications/message", level="info", data="roots changed")
    elif number is not None and "method" in message:
        send({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "no such method"}})
    sys.stdout.flush()
"""


def written(folder: Path, name: str, text: str) -> list[str]:
    """The command of a server with that source."""
    place = folder / name
    place.write_text(textwrap.dedent(text))
    return [sys.executable, str(place)]


def loaded(source: str = DEMO):
    """The server of that source, in this process."""
    scope = {"__name__": "demo"}
    exec(compile(source, "demo", "exec"), scope)
    return scope["app"]
