"""How a process that uses clients ends: C10 and the rules of the Python face."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and forks of Unix")

START = """
import asyncio, gc, os, signal, sys, threading
import omniport
from omniport import Client
COMMAND = {command!r}
"""


@pytest.fixture
def script(demo):
    """Runs a program; its output, once nothing of the server processes is left."""

    def start(source):
        text = START.format(command=demo) + textwrap.dedent(source)
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        # Where the tests are a background job of a shell, Ctrl-C is ignored, and children inherit that.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return subprocess.Popen([sys.executable, "-X", "dev", "-c", text], **options)
        finally:
            signal.signal(signal.SIGINT, before)

    def run(source):
        process = start(source)
        try:
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
        assert process.returncode == 0, err
        for number in out.split():
            if number.isdigit():
                with pytest.raises(ProcessLookupError):
                    os.kill(int(number), 0)
        return out, err

    run.start = start
    return run


def test_exit_with_open_clients(script):
    out, err = script("""
        clients = [Client(COMMAND) for _ in range(3)]
        faces = [client.__enter__() for client in clients]
        print(*(face.call_tool("pid").content[0].text for face in faces))
    """)
    assert len(out.split()) == 3 and err == ""


def test_asyncio_run_ends_with_open_clients(script):
    out, err = script("""
        kept = []
        async def main():
            client = Client(COMMAND, on_log=lambda message: asyncio.sleep(60), on_elicit=lambda question: asyncio.sleep(60))
            kept.append(client)
            await client.connect()
            print((await client.call_tool("pid")).content[0].text)
            kept.append(asyncio.ensure_future(client.call_tool("wait")))
            kept.append(asyncio.ensure_future(client.call_tool("ask")))
            await client.ping()
        asyncio.run(main())
    """)
    assert out.strip() and err == ""


def test_forgotten_client(script):
    out, err = script("""
        async def main():
            client = Client(COMMAND)
            await client.connect()
            pid = int((await client.call_tool("pid")).content[0].text)
            print(pid)
            del client
            gc.collect()
            while True:
                try:
                    os.kill(pid, 0)
                except ProcessLookupError:
                    break
                await asyncio.sleep(0.01)
        asyncio.run(main())
    """)
    assert out.strip() and "ResourceWarning: a client of" in err and "never closed" in err


def test_fork(script):
    out, err = script("""
        with Client(COMMAND) as client:
            client.ping()
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                for attempt in (client.ping, lambda: client.roots_changed(), Client(COMMAND).__enter__):
                    try:
                        attempt()
                    except (omniport.RuleError, omniport.Error) as error:
                        assert "fork" in str(error), error
                        sys.stdout.write("refused\\n")
                client.close()
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
            client.ping()
            print("alive")
    """)
    assert out.split() == ["refused", "refused", "refused", "alive"] and err == ""


def until_it_waits(pid: int) -> None:
    """Returns when the main thread sleeps and has not run between two looks: on its way there a signal finds it anywhere."""
    before = None
    while True:
        status = Path(f"/proc/{pid}/status").read_text()
        now = re.findall(r"^(?:State|.*ctxt_switches):.*$", status, re.MULTILINE)
        if now == before and "sleeping" in now[0]:
            return
        before = now
        time.sleep(0.01)


@pytest.mark.parametrize(
    "source",
    [
        """
        with Client(COMMAND) as client:
            print(client.call_tool("pid").content[0].text, flush=True)
            client.call_tool("wait")
        """,
        """
        with Client(COMMAND) as client:
            print(client.call_tool("pid").content[0].text, flush=True)
            next(client.listen())
        """,
        """
        async def main():
            async with Client(COMMAND) as client:
                print((await client.call_tool("pid")).content[0].text, flush=True)
                await client.call_tool("wait")
        asyncio.run(main())
        """,
    ],
)
def test_ctrl_c(script, source):
    process = script.start(source)
    try:
        pid = int(process.stdout.readline())
        until_it_waits(process.pid)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode in (-signal.SIGINT, 130), err
    assert err.rstrip().endswith("KeyboardInterrupt") and "never" not in err
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
