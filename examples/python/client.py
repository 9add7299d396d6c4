"""The smallest client: starts hello.py, or connects to the URL given, and adds two numbers."""

import asyncio
import sys
from pathlib import Path

from omniport import Client

HELLO = [sys.executable, str(Path(__file__).with_name("hello.py"))]


async def main() -> None:
    async with Client(sys.argv[1] if len(sys.argv) > 1 else HELLO) as client:
        print("tools:", ", ".join(tool.name for tool in await client.list_tools()))
        print("1 + 2 =", (await client.call_tool("add", {"a": 1, "b": 2})).structured_content)


asyncio.run(main())
