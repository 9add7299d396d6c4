"""The bench's tools on the official SDK: `mcp_server.py stdio`, or `mcp_server.py http PORT [best]`.

As its documentation says by default; `best`: no sessions, JSON answers, uvloop, no line in the log for each request.
"""

import os
import sys

from mcp.server.mcpserver import MCPServer

from tools import BIG

_, transport, *rest = sys.argv
best = rest[1:] == ["best"]
app = MCPServer("bench", log_level="WARNING" if best else "INFO")


@app.tool()
async def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@app.tool()
async def echo(text: str) -> str:
    """Gives the text back."""
    return text


@app.tool()
async def big() -> str:
    """A text of 1 MB."""
    return BIG


async def search(query: str, limit: int = 10, exact: bool = False) -> str:
    return "found"


if "MANY" in os.environ:
    for number in range(1000):
        app.add_tool(search, name=f"tool_{number:04}", description=f"Searches collection {number}.")

if transport == "stdio":
    app.run("stdio")
elif best:
    import uvloop

    uvloop.run(app.run_streamable_http_async(port=int(rest[0]), json_response=True, stateless_http=True))
else:
    app.run("streamable-http", port=int(rest[0]))
