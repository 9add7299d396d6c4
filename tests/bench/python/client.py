"""This project's Python client under load: `client.py URL IN_FLIGHT WARM SECONDS`. One JSON object says what was measured."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from omniport import Client

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers" / "python"))
from callers import Caller, run


async def main(url: str, in_flight: int, warm: float, seconds: float) -> None:
    async with Client(url) as client:

        async def add(a: int, b: int) -> int:
            result = await client.call_tool("add", {"a": a, "b": b})
            return int(result.content[0].text)

        await run(Caller(add, in_flight, warm, seconds))


if __name__ == "__main__":
    url, in_flight, warm, seconds = sys.argv[1:]
    try:
        import uvloop
    except ImportError:
        asyncio.run(main(url, int(in_flight), float(warm), float(seconds)))
    else:
        uvloop.run(main(url, int(in_flight), float(warm), float(seconds)))
