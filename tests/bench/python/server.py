"""The bench's tools on this project, with the defaults a user gets: `server.py stdio` or `server.py http PORT`."""

import os
import sys

from omniport import Server

BIG = 'The quick brown fox says "hello", then jumps over the lazy dog.\n' * 15_625

app = Server("bench")


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
        app.add_tool(search, name=f"tool_{number:04}", description=f"Searches collection {number}.")

if sys.argv[1] == "stdio":
    app.run()
else:
    app.run("http", port=int(sys.argv[2]))
