"""Servers as forks of one process that has loaded the package: a fork takes a few milliseconds, a new interpreter a hundred."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from runner.process import PATIENCE, Connected, Gone, ServerProcess

TESTS = Path(__file__).parents[1]


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
        connected = Connected.make(with_pipes=transport == "stream")
        line = json.dumps({"transport": transport, "server": settings}).encode()
        socket.send_fds(self._requests, [line], connected.theirs)
        connected.handed_over()
        if self._requests.recv(64) != b"forked\n":
            raise Gone("the process that forks servers has ended")
        return connected.server

    def close(self) -> None:
        self._requests.close()
        self._process.wait(PATIENCE)
