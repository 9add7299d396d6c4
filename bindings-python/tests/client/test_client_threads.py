"""One client, several event loops and threads."""

import asyncio
import threading

import pytest
import servers
from omniport import Client

TIMES = 40


def in_threads(*targets):
    errors = []

    def guarded(target):
        try:
            target()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(target,)) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not errors and not any(thread.is_alive() for thread in threads), errors


def value(result):
    return int(result.content[0].text)


@pytest.mark.parametrize("local", [True, False])
def test_loops_and_threads_share_a_client(run, demo, local):
    async def main():
        async with Client(servers.loaded() if local else demo) as client:

            def waits():
                with client as face:
                    assert [value(face.call_tool("add", {"a": n, "b": 1})) for n in range(TIMES)] == list(range(1, TIMES + 1))

            async def awaits():
                calls = (client.call_tool("add", {"a": n, "b": 1}) for n in range(TIMES))
                assert [value(result) for result in await asyncio.gather(*calls)] == list(range(1, TIMES + 1))

            def another_loop():
                asyncio.run(awaits())

            await asyncio.gather(awaits(), asyncio.to_thread(in_threads, waits, another_loop, waits, another_loop))
            assert client.state == "ready"

    run(main)


def test_the_loop_that_opened_it_is_gone(demo):
    seen = []
    client = Client(demo, on_elicit=lambda question: {"name": "Ada"}, on_state=lambda *state: seen.append(state))
    asyncio.run(client.connect())

    async def use():
        assert "Ada" in (await client.call_tool("ask")).content[0].text
        await client.close()

    asyncio.run(use())
    assert seen[-1] == ("closed", None)


def test_a_callback_may_call(demo):
    with Client(demo) as client:
        inner = []

        def on_progress(step):
            inner.append(value(client.call_tool("add", {"a": int(step["progress"]), "b": 0})))

        client.call_tool("steps", on_progress=on_progress)
        assert inner == [1, 2, 3]


def test_uvloop(demo):
    uvloop = pytest.importorskip("uvloop")

    async def main():
        async with Client(demo) as client:
            results = await asyncio.gather(*(client.call_tool("add", {"a": n, "b": 0}) for n in range(100)))
            assert [value(result) for result in results] == list(range(100))
            with client as face:
                assert value(await asyncio.to_thread(face.call_tool, "add", {"a": 1, "b": 1})) == 2

    loop = uvloop.new_event_loop()
    try:
        loop.run_until_complete(asyncio.wait_for(main(), 20))
    finally:
        loop.close()


def test_many_clients_need_no_more_threads_and_descriptors():
    import os

    app = servers.loaded()

    async def main():
        before = threading.active_count(), len(os.listdir("/proc/self/fd"))
        clients = [Client(app) for _ in range(300)]
        await asyncio.gather(*(client.connect() for client in clients))
        await asyncio.gather(*(client.ping() for client in clients))
        assert threading.active_count() <= before[0] + 1
        assert len(os.listdir("/proc/self/fd")) <= before[1] + 10
        await asyncio.gather(*(client.close() for client in clients))

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("descriptors are counted in /proc")
    asyncio.run(asyncio.wait_for(main(), 60))
