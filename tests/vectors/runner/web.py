"""Requests over raw sockets, because no HTTP library would write all that the vectors want written."""

from __future__ import annotations

import json
import select
import socket
from typing import Any

from .process import PATIENCE
from .speaker import Headers

Address = tuple[str, int]
_HOST = "127.0.0.1:8000"
"""The host that requests name unless they say otherwise; the port does not matter to a server."""


class Exchange:
    """One request on a connection of its own, and what came back for it."""

    def __init__(
        self, connection: socket.socket, method: str, path: str, headers: Headers, body: bytes, begun: bytes = b""
    ) -> None:
        """`begun`: what was sent of the request already."""
        self.connection = connection
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self.body = b""
        """The body of a whole answer."""
        self.events: list[dict[str, Any]] = []
        """Events of a stream that were not taken yet."""
        self.is_over = False
        self._bytes = b""
        self._chunked = False
        self._length: int | None = None
        self._text = b""
        self._taken = False
        connection.setblocking(True)
        try:
            request = _request(method, path, headers, body)
            assert request.startswith(begun), f"the request began as {begun!r}"
            connection.sendall(request[len(begun) :])
        except ConnectionError:
            pass  # it may answer before it has read everything, and close
        connection.setblocking(False)

    @property
    def is_stream(self) -> bool:
        return self.headers.get("content-type", "").startswith("text/event-stream")

    def read(self) -> None:
        """Takes what has arrived, without waiting."""
        while not self.is_over:
            try:
                data = self.connection.recv(1 << 16)
            except BlockingIOError:
                return
            except ConnectionError:
                data = b""
            self._bytes += data
            self._parse()
            if not data:
                self.is_over = True

    def messages(self) -> list[Any]:
        """The messages that came, of a whole answer or of an event stream; each once."""
        if self.is_stream:
            taken = [event["data"] for event in self.events if isinstance(event.get("data"), (dict, list))]
            self.events = []
            return taken
        if self._taken or not self.is_over or self.body[:1] not in (b"{", b"["):
            return []
        self._taken = True
        return [json.loads(self.body)]

    def count(self) -> int:
        """How many `messages` would give."""
        if self.is_stream:
            return sum(isinstance(event.get("data"), (dict, list)) for event in self.events)
        return int(not self._taken and self.is_over and self.body[:1] in (b"{", b"["))

    def leave(self) -> None:
        """The client goes away."""
        self.is_over = True
        self.connection.close()

    def _parse(self) -> None:
        if self.status is None:
            head, found, rest = self._bytes.partition(b"\r\n\r\n")
            if not found:
                return
            self._bytes = rest
            self._read_head(head.decode("latin-1"))
        if self._chunked:
            self._read_chunks()
        else:
            self._body(self._bytes)
            self._bytes = b""
        if self._length is not None and len(self.body) >= self._length:
            assert len(self.body) == self._length, "more came than the head announced"
            self.is_over = True

    def _read_head(self, head: str) -> None:
        first, *lines = head.split("\r\n")
        self.status = int(first.split(" ")[1])
        for line in lines:
            name, _, value = line.partition(":")
            name, value = name.lower(), value.strip()
            self.headers[name] = f"{self.headers[name]}, {value}" if name in self.headers else value
        self._chunked = self.headers.get("transfer-encoding") == "chunked"
        if not self._chunked:
            self._length = 0 if self.status in (204, 304) else int(self.headers.get("content-length", -1))
            self._length = None if self._length < 0 else self._length

    def _read_chunks(self) -> None:
        while True:
            line, found, rest = self._bytes.partition(b"\r\n")
            if not found:
                return
            size = int(line.partition(b";")[0], 16)
            if len(rest) < size + 2:
                return
            self._body(rest[:size])
            self._bytes = rest[size + 2 :]
            if size == 0:
                self.is_over = True
                return

    def _body(self, data: bytes) -> None:
        if not self.is_stream:
            self.body += data
            return
        *blocks, self._text = (self._text + data).split(b"\n\n")
        self.events.extend(_event(block.decode()) for block in blocks)


def connect(address: Address, begin: bytes = b"") -> socket.socket:
    """`begin`: what is sent of the request at once."""
    connection = socket.create_connection(address, PATIENCE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if begin:
        connection.sendall(begin)
    return connection


class Barrier:
    """A connection that asks for what is not there: its answer comes when the server has taken what was sent before.

    One thread of the server serves all connections. The first round lets it accept a new one, the second read it.
    """

    ROUNDS = 3
    TIMES_AFTER_STOP = 8

    def __init__(self, address: Address) -> None:
        self._address = address
        self._connections = [connect(address)]
        self._begun = b""

    def pass_through(self) -> None:
        for _ in range(self.ROUNDS):
            exchange = Exchange(self._connections[-1], "GET", "/barrier", {}, b"", self._begun)
            while not exchange.is_over:
                assert select.select([exchange.connection], [], [], PATIENCE)[0], "the server does not answer any more"
                exchange.read()
            assert exchange.status is not None, "the server closed a connection without an answer"
            if self._begun:  # what has begun on a connection can be ended once
                self._connections.pop().close()

    def prepare_for_stop(self) -> None:
        """A server that stops takes only requests that have begun to arrive, and closes their connections behind the answers."""
        fresh = [connect(self._address, b"GET") for _ in range(self.ROUNDS * self.TIMES_AFTER_STOP)]
        self.pass_through()
        self.close()
        self._connections, self._begun = fresh, b"GET"

    def close(self) -> None:
        for connection in self._connections:
            connection.close()


def _request(method: str, path: str, headers: Headers, body: bytes) -> bytes:
    """Headers hold a text or a list of texts each, None for one that is left out."""
    own: Headers = {"host": _HOST}
    if body or method == "POST":
        own["content-length"] = str(len(body))
    lines = [f"{method} {path} HTTP/1.1"]
    for name, value in {**own, **headers}.items():
        values = [] if value is None else value if isinstance(value, list) else [value]
        lines += [f"{name}: {text}" for text in values]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _event(block: str) -> dict[str, Any]:
    event: dict[str, Any] = {}
    data: list[str] = []
    for line in block.strip("\n").split("\n"):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        else:
            event[field or "comment"] = value
    if data:
        text = "\n".join(data)
        try:
            event["data"] = json.loads(text)
        except ValueError:
            event["data"] = text
    return event
