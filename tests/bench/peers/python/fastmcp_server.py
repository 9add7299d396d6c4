"""The bench's tools on FastMCP, as its documentation says: `fastmcp_server.py stdio` or `fastmcp_server.py http PORT`."""

import os
import sys

from fastmcp import FastMCP
from fastmcp.tools import Tool

from tools import BIG

_, transport, *rest = sys.argv
app = FastMCP("bench")


@app.tool
async def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@app.tool
async def echo(text: str) -> str:
    """Gives the text back."""
    return text


@app.tool
async def big() -> str:
    """A text of 1 MB."""
    return BIG


async def search(query: str, limit: int = 10, exact: bool = False) -> str:
    return "found"


if "MANY" in os.environ:
    for number in range(1000):
        app.add_tool(Tool.from_function(search, name=f"tool_{number:04}", description=f"Searches collection {number}."))

if transport == "stdio":
    app.run("stdio")
else:
    app.run("http", host="127.0.0.1", port=int(rest[0]))
