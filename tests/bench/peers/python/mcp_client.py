"""The official Python client under load: `mcp_client.py URL IN_FLIGHT WARM SECONDS`."""

from __future__ import annotations

import sys

import anyio
from callers import Caller, run
from mcp.client import Client


async def main(url: str, in_flight: int, warm: float, seconds: float) -> None:
    async with Client(url) as client:

        async def add(a: int, b: int) -> int:
            result = await client.call_tool("add", {"a": a, "b": b})
            return int(result.content[0].text)

        await run(Caller(add, in_flight, warm, seconds))


if __name__ == "__main__":
    url, in_flight, warm, seconds = sys.argv[1:]
    anyio.run(main, url, int(in_flight), float(warm), float(seconds))
