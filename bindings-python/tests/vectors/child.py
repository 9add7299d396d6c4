"""The server's side: a process that forks a standard server for each run, on the descriptors that it is handed.

A fork takes a few milliseconds where a new interpreter takes a hundred, and each run still has a process of its own, so that
nothing is left over from the one before. The engine is made after the fork.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import AsyncGenerator
from typing import Any

from . import standard

_TURNS = 8
"""Turns of the loop in which every handler that waits for nothing from outside gets to its end."""
_GRACE = 600.0
"""Longer than any run: what still runs after a stop stays so until the runner leaves."""


def main(requests: socket.socket) -> None:
    """Reads one request at a time, a line with descriptors: control, stderr, and for a stream stdin and stdout."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the children
    while True:
        line, fds, _, _ = socket.recv_fds(requests, 65536, 4)
        if not line:
            return
        if os.fork() == 0:
            requests.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            serve(json.loads(line), fds)
        for fd in fds:
            os.close(fd)
        requests.sendall(b"forked\n")


def serve(wanted: dict[str, Any], fds: list[int]) -> None:
    """The life of one server. Does not return."""
    code = 1
    try:
        os.dup2(fds[1], 2)
        control = Control(socket.socket(fileno=fds[0]))
        app, http = standard.build(wanted["server"], control.lifespan)
        control.stop = lambda: app.stop(_GRACE)
        if wanted["transport"] == "stream":
            os.dup2(fds[2], 0)
            os.dup2(fds[3], 1)
            for fd in fds[1:]:
                os.close(fd)
            app.run("stdio")
        else:
            # One thread serves all connections, so that requests are taken in the order in which they were sent.
            app.run("http", port=0, threads=1, on_ready=control.say, **http)
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(code)


class Control:
    """The runner's own line to the server: whether handlers have come to rest, and to stop it."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self.stop: Any = None

    @contextlib.asynccontextmanager
    async def lifespan(self) -> AsyncGenerator[None, None]:
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(loop,), daemon=True).start()
        yield

    def say(self, text: str) -> None:
        self._channel.sendall(f"{text}\n".encode())

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        for line in self._channel.makefile("r"):
            if line == "stop\n":
                self.stop()
                self.say("stopped")
            else:
                with contextlib.suppress(RuntimeError):  # the loop is closed, and the process about to end
                    asyncio.run_coroutine_threadsafe(self._settle(), loop)
        os._exit(0)  # the runner is done with this run

    async def _settle(self) -> None:
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        self.say("settled")


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
