"""The runner's side of the server processes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
PATIENCE = 30.0
"""Seconds until something that must come is given up; nothing ever takes that long."""


class Gone(AssertionError):
    """The server process has ended."""


class Forks:
    """Starts the process that forks servers."""

    def __init__(self) -> None:
        self._requests, theirs = socket.socketpair()
        self._requests.settimeout(PATIENCE)
        with theirs:
            places = [str(TESTS), os.environ.get("PYTHONPATH", "")]
            self._process = subprocess.Popen(
                [sys.executable, "-m", "vectors.child", str(theirs.fileno())],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))},
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def server(self, transport: str, settings: dict[str, Any]) -> ServerProcess:
        """A new server, with pipes if it speaks over a stream."""
        ours, control = socket.socketpair()
        log = tempfile.TemporaryFile()  # noqa: SIM115
        theirs = [control.detach(), os.dup(log.fileno())]
        pipes: tuple[int, int] | None = None
        if transport == "stream":
            (their_in, our_in), (our_out, their_out) = os.pipe(), os.pipe()
            theirs += [their_in, their_out]
            pipes = our_in, our_out
        line = json.dumps({"transport": transport, "server": settings}).encode()
        socket.send_fds(self._requests, [line], theirs)
        for fd in theirs:
            os.close(fd)
        if self._requests.recv(64) != b"forked\n":
            raise Gone("the process that forks servers has ended")
        return ServerProcess(ours, log, pipes)

    def close(self) -> None:
        self._requests.close()
        self._process.wait(PATIENCE)


class ServerProcess:
    """One server. `pipes`: its stdin and stdout, seen from here."""

    def __init__(self, control: socket.socket, log: Any, pipes: tuple[int, int] | None) -> None:
        self._control = control
        self._control.settimeout(PATIENCE)
        self._answers = control.makefile("r")
        self._log = log
        self.pipes = pipes

    def address(self) -> tuple[str, int]:
        """Where it listens."""
        host, _, port = self._answer().rpartition(":")
        return host, int(port)

    def settle(self) -> None:
        """Returns when its handlers have come to rest. Gone when it has ended, which is rest too."""
        self._tell("settle")

    def stop(self) -> None:
        """It takes nothing new and ends its streams; what runs may go on."""
        self._tell("stop")

    def log(self) -> str:
        """What it wrote to stderr so far."""
        self._log.seek(0)
        return self._log.read().decode("utf-8", "replace")

    def close(self) -> None:
        """The process ends when its control line does."""
        self._answers.close()
        self._control.close()
        self._log.close()

    def _tell(self, what: str) -> None:
        try:
            self._control.sendall(f"{what}\n".encode())
        except OSError as error:
            raise Gone(f"the server has ended: {self.log()}") from error
        self._answer()

    def _answer(self) -> str:
        try:
            line = self._answers.readline()
        except ConnectionError:
            line = ""
        if not line:
            raise Gone(f"the server has ended: {self.log()}")
        return line.rstrip("\n")
