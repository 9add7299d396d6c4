"""The runner's side of the server processes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
import threading
from collections import deque
from dataclasses import dataclass
from typing import Any, Protocol

PATIENCE = 30.0
"""Seconds until something that must come is given up; nothing ever takes that long."""


class Gone(AssertionError):
    """The server process has ended."""


class Servers(Protocol):
    """Starts servers, each in a process of its own, so that nothing is left over from the run before."""

    def server(self, transport: str, settings: dict[str, Any]) -> ServerProcess:
        """A new server, with pipes if it speaks over a stream."""
        ...


class ServerProcess:
    """One server. `pipes`: its stdin and stdout, seen from here."""

    def __init__(self, control: socket.socket, log: Any, pipes: tuple[int, int] | None) -> None:
        self._control = control
        self._control.settimeout(PATIENCE)
        self._answers = control.makefile("r")
        self._log = log
        self.pipes = pipes

    def serve(self, transport: str, settings: dict[str, Any]) -> None:
        """The first line, for a program that was started before its run was known."""
        self._say(json.dumps({"transport": transport, "server": settings}))

    def address(self) -> tuple[str, int]:
        """Where it listens."""
        host, _, port = self._answer().rpartition(":")
        return host, int(port)

    def settle(self) -> None:
        """Returns when its handlers have come to rest. Gone when it has ended, which is rest too."""
        self._say("settle")
        self._answer()

    def stop(self) -> None:
        """It takes nothing new and ends its streams; what runs may go on."""
        self._say("stop")
        self._answer()

    def log(self) -> str:
        """What it wrote to stderr so far."""
        self._log.seek(0)
        return self._log.read().decode("utf-8", "replace")

    def close(self) -> None:
        """The process ends when its control line does."""
        self._answers.close()
        self._control.close()
        self._log.close()

    def _say(self, what: str) -> None:
        try:
            self._control.sendall(f"{what}\n".encode())
        except OSError as error:
            raise Gone(f"the server has ended: {self.log()}") from error

    def _answer(self) -> str:
        try:
            line = self._answers.readline()
        except ConnectionError:
            line = ""
        if not line:
            raise Gone(f"the server has ended: {self.log()}")
        return line.rstrip("\n")


@dataclass(frozen=True)
class Connected:
    """A server that has yet to be started, and the descriptors that it gets: control, stderr and, with pipes, stdin and stdout."""

    server: ServerProcess
    theirs: list[int]

    @classmethod
    def make(cls, with_pipes: bool) -> Connected:
        ours, control = socket.socketpair()
        log = tempfile.TemporaryFile()  # noqa: SIM115
        theirs = [control.detach(), os.dup(log.fileno())]
        pipes: tuple[int, int] | None = None
        if with_pipes:
            (their_in, our_in), (our_out, their_out) = os.pipe(), os.pipe()
            theirs += [their_in, their_out]
            pipes = our_in, our_out
        return cls(ServerProcess(ours, log, pipes), theirs)

    def handed_over(self) -> None:
        """The process has them now."""
        for fd in self.theirs:
            os.close(fd)


class Programs:
    """Starts a program for each run. It is told the number of the descriptor of its control line, and hears there what to serve.

    May be used by several threads.
    """

    def __init__(self, command: list[str], spare: int = 2) -> None:
        """`spare`: processes that have started and wait for their run, because starting takes longer than most runs."""
        self._command = command
        # Of its own: pytest changes that of the process for each test, and a start in another thread then read freed memory.
        self._environment = dict(os.environ)
        self._few = spare
        self._lock = threading.Lock()
        self._spare: deque[ServerProcess] = deque()
        self._started: list[subprocess.Popen[bytes]] = []

    def server(self, transport: str, settings: dict[str, Any]) -> ServerProcess:
        with self._lock:
            while len(self._spare) <= self._few:
                self._spare.append(self._start())
            server = self._spare.popleft()
        server.serve(transport, settings)
        if transport != "stream":
            self._close_pipes(server)
        return server

    def close(self) -> None:
        for server in self._spare:
            self._close_pipes(server)
            server.close()
        for process in self._started:
            process.wait(PATIENCE)

    def _start(self) -> ServerProcess:
        connected = Connected.make(with_pipes=True)
        control, stderr, stdin, stdout = connected.theirs
        command = [*self._command, str(control)]
        self._started = [process for process in self._started if process.poll() is None]
        process = subprocess.Popen(command, env=self._environment, stdin=stdin, stdout=stdout, stderr=stderr, pass_fds=[control])
        self._started.append(process)
        connected.handed_over()
        return connected.server

    @staticmethod
    def _close_pipes(server: ServerProcess) -> None:
        for fd in server.pipes or ():
            os.close(fd)
        server.pipes = None
