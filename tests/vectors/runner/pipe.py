"""One client on the server's pipes."""

from __future__ import annotations

import json
import os
import select
import time
from typing import Any

from .process import PATIENCE, Gone, ServerProcess
from .speaker import Speaker, encode


class Pipe:
    """Lines to a server process and from it."""

    def __init__(self, server: ServerProcess, speaker: Speaker) -> None:
        assert server.pipes is not None
        self._server = server
        self._speaker = speaker
        self._in, self._out = server.pipes
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._buffer = b""
        self._messages: list[Any] = []
        self._barriers = 0
        self._is_inside_line = False
        self._is_open = True
        self._has_ended = False

    def write(self, data: bytes) -> None:
        """Writes, and reads meanwhile, so that full pipes do not stop both sides."""
        self._is_inside_line = not data.endswith(b"\n") if data else self._is_inside_line
        until = time.monotonic() + PATIENCE
        while data:
            readable, writable, _ = select.select([self._out], [self._in], [], max(0.0, until - time.monotonic()))
            assert readable or writable, "the server does not read"
            if readable:
                self._read()
            if writable:
                data = data[os.write(self._in, data) :]

    def post(self, message: Any) -> None:
        self.write(f"{encode(message)}\n".encode())

    def end(self) -> None:
        """No more input."""
        self._is_open = False
        os.close(self._in)

    def count(self) -> int:
        """Messages that came and were not taken."""
        return len(self._messages)

    def take(self) -> list[Any]:
        taken, self._messages = self._messages, []
        return taken

    def wait(self, count: int) -> None:
        """Returns when so many messages are there, the stream has ended, or patience has."""
        until = time.monotonic() + PATIENCE
        while len(self._messages) < count and not self._has_ended and time.monotonic() < until:
            self._await_bytes(until)

    def sync(self) -> None:
        """Returns when everything that was written has had its effect, and what it brought is here.

        The server answers requests of a stream in order as far as it answers them itself. So when the answer to one more
        request is here, it has read what was before; handlers come to rest; and the answer to another comes behind theirs.
        """
        if not self._is_open:
            self.wait(1 << 30)
            assert self._has_ended, "the server did not end with its input"
            return
        if self._is_inside_line:  # nothing can be asked here; what a half line may bring is found at its end
            self._server.settle()
            return
        try:
            self._barrier()
            self._server.settle()
            self._barrier()
        except Gone:
            assert self._has_ended, "the server ended without ending its output"

    def close(self) -> None:
        if self._is_open:
            self.end()
        os.close(self._out)

    def _barrier(self) -> None:
        self._barriers += 1
        name = f"barrier-{self._barriers}"
        # The modern revision has no ping; the refusal of an unknown method is an answer too.
        method = "vectors/barrier" if self._speaker.is_modern else "ping"
        try:
            self.post(self._speaker.request({"id": name, "method": method}))
        except BrokenPipeError:
            raise Gone("the server has ended") from None
        until = time.monotonic() + PATIENCE
        while not self._taken_out(name):
            if self._has_ended:
                raise Gone("the server has ended")
            assert time.monotonic() < until, "the server does not answer any more"
            self._await_bytes(until)

    def _taken_out(self, name: str) -> bool:
        for place, message in enumerate(self._messages):
            if isinstance(message, dict) and message.get("id") == name and "method" not in message:
                del self._messages[place]
                return True
        return False

    def _await_bytes(self, until: float) -> None:
        if select.select([self._out], [], [], max(0.0, until - time.monotonic()))[0]:
            self._read()

    def _read(self) -> None:
        data = os.read(self._out, 1 << 16)
        if not data:
            self._has_ended = True
            assert not self._buffer, f"the output ended inside a line: {self._buffer!r}"
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        self._messages.extend(json.loads(line) for line in lines)
