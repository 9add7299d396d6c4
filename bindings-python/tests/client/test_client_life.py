"""Opening, sharing and closing: C10 and Y25."""

import asyncio
import threading

import omniport
import pytest
import servers
from omniport import Client


def test_closed_in_another_order_than_opened(run, demo):
    async def main():
        first, second = Client(demo), Client(servers.loaded())
        await first.connect()
        await second.connect()
        await first.close()
        await second.ping()
        await second.close()
        await second.close()

    run(main)


def test_closed_by_another_task(run):
    async def main():
        client = Client(servers.loaded())
        await asyncio.ensure_future(client.connect())
        call = asyncio.ensure_future(client.call_tool("wait"))
        await asyncio.sleep(0)
        await asyncio.ensure_future(client.close())
        with pytest.raises(omniport.Closed):
            await call
        with pytest.raises(omniport.Closed):
            await client.ping()

    run(main)


def test_closed_by_another_thread(run, demo):
    async def main():
        async with Client(demo) as client:
            call = asyncio.ensure_future(client.call_tool("wait"))
            await client.ping()
            await asyncio.to_thread(lambda: asyncio.run(client.close()))
            with pytest.raises(omniport.Closed):
                await call

    run(main)
    with Client(demo) as client:
        failed = []

        def call():
            try:
                client.call_tool("wait")
            except omniport.Closed as error:
                failed.append(error)

        thread = threading.Thread(target=call)
        thread.start()
        client.ping()
        client.close()
        thread.join(10)
        assert len(failed) == 1


def test_entered_twice_is_one_connection(run, demo):
    # Y25: the last one closes it, and then it can be opened again.
    async def main():
        client = Client(demo)

        async def pid():
            async with client:
                return (await client.call_tool("pid")).content[0].text

        async with client:
            pids = set(await asyncio.gather(*(pid() for _ in range(5))))
            assert len(pids) == 1
            await client.ping()
            pids.add((await client.call_tool("pid")).content[0].text)
        assert len(pids) == 1
        with pytest.raises(omniport.Closed):
            await client.ping()
        assert await pid() not in pids

    run(main)


def test_a_dead_server_is_not_reused(raw):
    # Y25: a process that died is noticed, and the next opening starts another.
    client = Client(raw, recover=False)
    with client as face, pytest.raises(omniport.Error):
        face.call_tool("die", safe=False)
    with client as face:
        assert face.call_tool("good").content[0].text == "done"


def test_a_failed_opening_can_be_repeated(run, tmp_path):
    async def main():
        place = tmp_path / "later.py"
        import sys

        client = Client([sys.executable, str(place)], limits={"recover_tries": 0})
        with pytest.raises(omniport.Error):
            await client.connect()
        assert client.state in ("closed", "failed")
        place.write_text(servers.DEMO)
        async with client:
            await client.ping()

    run(main)


def test_cancelling_the_wait_cancels_the_call(run, demo):
    async def main():
        async with Client(demo) as client:
            call = asyncio.ensure_future(client.call_tool("wait"))
            await client.ping()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await client.ping()
            assert not client._life.live().pending

    run(main)


@pytest.fixture
async def opened(demo):
    async with Client(demo) as client:
        yield client


async def test_a_fixture_that_yields(opened):
    # C10: the fixture is entered and left in other tasks than the test.
    await opened.ping()
