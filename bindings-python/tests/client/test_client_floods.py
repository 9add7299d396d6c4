"""Y09: no flood of notifications holds up an answer, and memory stays bounded."""

import asyncio
import logging
import threading
import time

from omniport import Client

COUNT = 100_000


def test_nobody_listens(raw):
    async def main():
        async with Client(raw) as client:
            result = await client.call_tool("flood", {"count": COUNT})
            assert result.content[0].text == "done"

    asyncio.run(main())
    with Client(raw) as client:
        assert client.call_tool("flood", {"count": COUNT}).content[0].text == "done"


def test_a_listener_that_sleeps(raw, caplog):
    heard = []

    def on_log(message):
        time.sleep(0.002)
        heard.append(message["data"])

    async def main():
        async with Client(raw, on_log=on_log, limits={"host_events": 500}) as client:
            result = await client.call_tool("flood", {"count": COUNT})
            assert result.content[0].text == "done"
            before = len(heard)
            while "host_events" not in caplog.text:
                await asyncio.sleep(0.01)
            assert len(heard) > before, "the answer overtook what waited"

    with caplog.at_level(logging.WARNING, "omniport"):
        asyncio.run(main())
    assert heard == sorted(heard) and 500 <= len(heard) < COUNT


def test_a_listener_that_awaits_for_ever(raw):
    async def on_log(message):
        await asyncio.Event().wait()

    async def main():
        async with Client(raw, on_log=on_log, limits={"host_events": 100}) as client:
            for _ in range(3):
                assert (await client.call_tool("flood", {"count": 10_000})).content[0].text == "done"
            connection = client._life.live()
            assert len(connection._serial._queue) <= 100

    asyncio.run(main())


def test_a_thread_is_not_held_up_either(raw):
    heard = []
    gate = threading.Event()

    def on_log(message):
        gate.wait()
        heard.append(message["data"])

    with Client(raw, on_log=on_log, limits={"host_events": 2000}) as client:
        assert client.call_tool("flood", {"count": 10_000}).content[0].text == "done"
        assert heard == [], "the answer overtook what waited"
        gate.set()
