"""The Python client under orders: one JSON object per line comes in, one per answer goes out; see the README beside the folder."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from typing import Any

from omniport import Client, Error

Order = dict[str, Any]


class Driver:
    def __init__(self) -> None:
        self.client: Client | None = None
        self.told: Counter[str] = Counter()
        self.states: list[str] = []
        self.running: dict[int, asyncio.Task[None]] = {}

    async def obey(self, order: Order) -> None:
        try:
            outcome: Order = {"ok": await getattr(self, order["do"])(order)}
        except asyncio.CancelledError:
            outcome = {"failed": {"kind": "cancelled"}}
        except Error as error:
            outcome = {"failed": {"kind": error.kind, "message": str(error), "code": error.code, "facts": error.context}}
        finally:
            self.running.pop(order["as"], None)
        print(json.dumps({"as": order["as"], **outcome}), flush=True)

    async def connect(self, order: Order) -> Any:
        target = order["target"]
        self.client = Client(
            target.get("url") or target["command"],
            on_log=lambda _: self.told.update(["log"]),
            on_change=lambda _: self.told.update(["change"]),
            on_state=lambda state, _: self.states.append(state),
            **order.get("options", {}),
        )
        await self.client.connect()
        return {"protocol_version": self.client.protocol_version}

    def _connected(self) -> Client:
        assert self.client is not None, "connect comes first"
        return self.client

    async def call(self, order: Order) -> Any:
        options = {name: order[name] for name in ("timeout", "safe") if name in order}
        result = await self._connected().call_tool(order["tool"], order.get("arguments", {}), **options)
        return [getattr(block, "text", None) for block in result.content]

    async def list(self, _: Order) -> Any:
        return [tool.name for tool in await self._connected().list_tools()]

    async def ping(self, _: Order) -> Any:
        return await self._connected().ping()

    async def cancel(self, order: Order) -> Any:
        task = self.running.get(order["call"])
        if task is not None:
            task.cancel()

    async def tell(self, _: Order) -> Any:
        return {"log": self.told["log"], "change": self.told["change"], "states": self.states}

    async def close(self, _: Order) -> Any:
        client, self.client = self.client, None
        if client is not None:
            await client.close()


async def main() -> None:
    driver = Driver()
    lines = asyncio.StreamReader(limit=64 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async for text in lines:
        order = json.loads(text)
        driver.running[order["as"]] = asyncio.create_task(driver.obey(order))
    await driver.close({})


if __name__ == "__main__":
    asyncio.run(main())
