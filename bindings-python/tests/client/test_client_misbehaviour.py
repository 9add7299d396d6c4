"""What servers, callbacks and hosts do that no good one does: nothing of it may lose an answer or keep anybody waiting."""

import asyncio
import gc
import math
import os
import sys
import threading
import time
import weakref

import omniport
import pytest
import servers
from omniport import Client

PLAIN = """
import json, sys, time

def send(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()

for line in sys.stdin:
    message = json.loads(line)
    number = json.dumps(message.get("id"))
    if message.get("method") == "initialize":
        send('{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},'
             '"serverInfo":{"name":"plain","version":"0"}}}' % number)
    elif message.get("method") == "tools/call":
        asked = number
        arguments = message["params"]["arguments"]
        token = json.dumps(message["params"].get("_meta", {}).get("progressToken"))
        send(arguments["text"].replace("ID", number).replace("TOKEN", token))
    elif "method" in message and number != "null":
        send('{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}' % number)
    elif "method" not in message:
        # What the client answered becomes the answer to the call.
        said = json.dumps({"content": [{"type": "text", "text": line}]})
        send('{"jsonrpc":"2.0","id":%s,"result":%s}' % (asked, said))
"""
LOGS = "".join(
    '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":N}}\n'.replace("N", str(n)) for n in range(5)
)
PROGRESS = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":TOKEN,"progress":1}}\n'
DONE = '{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}'
QUESTION = '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"},"x":VALUE}}'


@pytest.fixture
def plain(tmp_path):
    """The command of a server whose tool sends the text it is given."""
    return servers.written(tmp_path, "plain.py", PLAIN)


@pytest.mark.parametrize("number", ["1e999", "9" * 400, "9" * 5000])
def test_numbers_that_no_machine_has_lose_no_answer(run, plain, number):
    async def main():
        async with Client(plain) as client:
            failure = '{"jsonrpc":"2.0","id":ID,"error":{"code":-7,"message":"no","data":{"v":VALUE}}}'.replace("VALUE", number)
            with pytest.raises(omniport.Error, match="no") as caught:
                await client.call_tool("x", {"text": failure})
            assert caught.value.code == -7 and caught.value.data["v"] > 1e300
            told = '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"v":VALUE}}}'.replace("VALUE", number)
            assert (await client.call_tool("x", {"text": told})).structured_content["v"] > 1e300

    run(main)


@pytest.mark.parametrize("content", ["null", '"text"', "[1, null]"])
def test_a_failure_with_odd_content_is_a_tool_error(run, plain, content):
    async def main():
        async with Client(plain) as client:
            told = '{"jsonrpc":"2.0","id":ID,"result":{"content":VALUE,"isError":true}}'.replace("VALUE", content)
            with pytest.raises(omniport.ToolError):
                await client.call_tool("x", {"text": told}, raise_on_error=True)

    run(main)


def test_a_callback_that_is_cancelled_loses_none_behind_it(run, plain):
    heard, done = [], asyncio.Event()

    async def on_log(message):
        await asyncio.sleep(0)
        heard.append(message["data"])
        if message["data"] == 4:
            done.set()
        elif message["data"] == 0:
            raise asyncio.CancelledError

    async def main():
        async with Client(plain, on_log=on_log) as client:
            await client.call_tool("x", {"text": LOGS + DONE})
            await done.wait()
        assert heard == [0, 1, 2, 3, 4]

    run(main)


def test_a_callback_that_exits_loses_none_behind_it(plain):
    heard, done = [], threading.Event()

    def on_log(message):
        heard.append(message["data"])
        if message["data"] == 4:
            done.set()
        sys.exit(3)

    with Client(plain, on_log=on_log) as client:
        client.call_tool("x", {"text": LOGS + DONE})
        assert done.wait(10) and heard == [0, 1, 2, 3, 4]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("gives_up", [asyncio.CancelledError, SystemExit])
def test_a_question_that_was_given_up_is_answered(run, plain, gives_up):
    def on_elicit(question):
        raise gives_up

    with Client(plain, on_elicit=on_elicit) as client:
        assert '"error"' in client.call_tool("x", {"text": QUESTION.replace("VALUE", "1")}).content[0].text

    async def main():
        async with Client(plain, on_elicit=on_elicit) as client:
            assert '"error"' in (await client.call_tool("x", {"text": QUESTION.replace("VALUE", "1")})).content[0].text

    if gives_up is asyncio.CancelledError:
        run(main)


def test_a_question_with_a_number_that_no_machine_has_is_asked(run, plain):
    async def main():
        async with Client(plain, on_elicit=lambda question: {"x": question["x"]}) as client:
            assert '"accept"' in (await client.call_tool("x", {"text": QUESTION.replace("VALUE", "1e999")})).content[0].text

    run(main)


def test_a_loop_may_go_on_in_another_thread(plain):
    heard, loop = threading.Event(), asyncio.new_event_loop()
    client = Client(plain, on_log=lambda message: heard.set())
    loop.run_until_complete(client.connect())
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(client.call_tool("x", {"text": LOGS + DONE}), loop).result(10)
        assert heard.wait(10)
        asyncio.run_coroutine_threadsafe(client.close(), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def test_who_leaves_late_closes_no_connection_of_others(run, demo):
    async def main():
        client, may_leave = Client(demo), asyncio.Event()
        entered = asyncio.Event()

        async def leaves_late():
            async with client:
                entered.set()
                await may_leave.wait()

        late = asyncio.create_task(leaves_late())
        await entered.wait()
        await client.close()
        async with client:
            may_leave.set()
            await late
            assert (await client.call_tool("add", {"a": 1})).structured_content in (3, {"result": 3})
        assert client.state == "closed"

    run(main)


def test_a_block_that_is_never_left_keeps_nothing(plain):
    client = Client(plain)
    client.__enter__()
    life = weakref.ref(client._life)
    with pytest.warns(ResourceWarning, match="never closed"):
        del client
        gc.collect()
    assert life() is None


def test_one_who_gives_up_opening_fails_no_other(run, demo):
    async def main():
        client = Client(demo)

        async def uses():
            async with client:
                return (await client.call_tool("add", {"a": 1})).structured_content

        first = asyncio.create_task(uses())
        await asyncio.sleep(0)
        others = [asyncio.create_task(uses()) for _ in range(3)]
        await asyncio.sleep(0)
        first.cancel()
        assert await asyncio.gather(*others) in ([3] * 3, [{"result": 3}] * 3)
        with pytest.raises(asyncio.CancelledError):
            await first

    run(main)


def test_a_cancelled_close_leaves_the_server_of_this_process(run):
    async def main():
        server = servers.loaded()
        client = Client(server)
        await client.connect()
        closing = asyncio.create_task(client.close())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.gather(closing, return_exceptions=True)
        assert server._runner._users == 0

    run(main)


def test_a_question_may_close_its_client(run):
    async def main():
        server = servers.loaded()
        client = Client(server, on_elicit=lambda question: client.close())
        with pytest.raises(omniport.Closed):
            async with client:
                await client.call_tool("ask")
        await client.close()
        assert client.state == "closed" and server._runner._users == 0

    run(main)


def test_commands_of_bytes(run, plain):
    async def main():
        async with Client([os.fsencode(part) for part in plain], cwd=os.fsencode(os.getcwd())) as client:
            assert client.server_info["name"] == "plain"

    run(main)
    for target in (["\udcff"], b"http://secret.example"):
        with pytest.raises(omniport.DefinitionError) as caught:
            Client(target)
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("seconds", [math.inf, math.nan])
def test_seconds_that_no_json_has_are_refused(run, plain, seconds):
    with pytest.raises(omniport.DefinitionError, match="positive number"):
        Client(plain, timeout=seconds)

    async def main():
        async with Client(plain) as client:
            with pytest.raises(omniport.DefinitionError, match="positive number"):
                await client.call_tool("x", total_timeout=seconds)

    run(main)


def test_a_slow_callback_keeps_no_time_limit_from_being_heard(run, plain):
    heard = []

    def on_progress(progress):
        heard.append(progress)
        time.sleep(0.001)

    async def main():
        async with Client(plain) as client:
            flood = {"text": PROGRESS * 5000}
            with pytest.raises(omniport.errors.Timeout):
                await client.call_tool("x", flood, total_timeout=0.5, on_progress=on_progress)
            assert 0 < len(heard) < 5000
            heard.clear()
            await client.call_tool("x", {"text": PROGRESS * 3 + DONE}, on_progress=on_progress)
            assert len(heard) == 3

    run(main)
    with Client(plain) as client, pytest.raises(omniport.errors.Timeout):
        client.call_tool("x", {"text": PROGRESS * 5000}, total_timeout=0.5, on_progress=on_progress)
