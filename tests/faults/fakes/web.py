"""HTTP servers with one fault each, all on one port: `web.py` prints the port. The path says which: /ERA/FAULT/ARGUMENT/NAME, where
NAME sets apart the state of tests that run the same fault. GET /seen/ERA/FAULT/ARGUMENT/NAME tells what requests came, as JSON."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from peer import Message, failure, line, log, reply, text_of

FLOOD = 100_000
JSON, EVENTS = "application/json", "text/event-stream"


@dataclass
class Place:
    """One server: what a path stands for."""

    era: str
    fault: str
    argument: str
    seen: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    sessions: int = 0
    events: list[tuple[int, Message]] = field(default_factory=list[tuple[int, Message]])
    """What a resumed stream may ask for again."""


@dataclass
class Request:
    verb: str
    path: str
    headers: dict[str, str]
    body: bytes
    place: Place
    writer: asyncio.StreamWriter

    @property
    def message(self) -> Message:
        return json.loads(self.body)

    @property
    def is_call(self) -> bool:
        return self.verb == "POST" and self.message.get("method") == "tools/call"

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def head(self, status: int, *lines: str) -> None:
        await self.send("\r\n".join([f"HTTP/1.1 {status} Status", *lines, "", ""]).encode())

    async def whole(self, status: int, body: bytes = b"", kind: str = JSON, *lines: str) -> None:
        await self.head(status, f"Content-Type: {kind}", f"Content-Length: {len(body)}", *lines)
        await self.send(body)

    async def chunk(self, data: bytes) -> None:
        await self.send(b"%x\r\n%s\r\n" % (len(data), data))

    async def stream(self, data: bytes) -> None:
        """A stream of events, from its head to its end."""
        await self.head(200, f"Content-Type: {EVENTS}", "Transfer-Encoding: chunked")
        if data:
            await self.chunk(data)
        await self.send(b"0\r\n\r\n")

    def cut(self) -> None:
        """The connection breaks: nothing follows, no end is told."""
        self.writer.transport.abort()


def event(message: Message, number: int | None = None) -> bytes:
    start = b"" if number is None else b"id: %d\n" % number
    return start + b"data: " + line(message) + b"\n"


async def right(request: Request) -> None:
    """What a server without a fault does."""
    place = request.place
    if request.verb != "POST":
        return await request.whole(405 if request.verb == "GET" else 200)
    message = request.message
    if "id" not in message or "method" not in message:
        return await request.whole(202)
    said = reply(message, place.era)
    if said is None:
        return await request.whole(400)
    more = []
    if message["method"] == "initialize":
        place.sessions += 1
        more = [f"Mcp-Session-Id: session-{place.sessions}"]
    status = 404 if place.era == "modern" and "error" in said else 200
    await request.whole(status, line(said), JSON, *more)


async def loses_its_session(request: Request) -> None:
    """After the first call of a session it is forgotten: everything that names it is answered with 404."""
    place = request.place
    named = request.headers.get("mcp-session-id")
    is_known = named == f"session-{place.sessions}"
    lost = place.argument == "always" or place.sessions == 1 and any(seen.get("tool") == "write" for seen in place.seen[:-1])
    if named and request.is_call and (not is_known or lost):
        return await request.whole(404, b"{}")
    await right(request)


async def is_cut_in_its_stream(request: Request) -> None:
    """The stream of a call breaks off after so many bytes; where its events have ids the rest can be had by GET."""
    place = request.place
    if request.verb == "GET" and "last-event-id" in request.headers:
        after = int(request.headers["last-event-id"])
        return await request.stream(b"".join(event(message, number) for number, message in place.events if number > after))
    if not request.is_call:
        return await right(request)
    answers = [(1, log("one")), (2, log("two")), (3, text_of(request.message, "the answer", place.era))]
    place.events = answers
    ids = place.argument.endswith("i")
    data = (b"retry: 1\n\n" if ids else b"") + b"".join(event(message, number if ids else None) for number, message in answers)
    await request.head(200, f"Content-Type: {EVENTS}", "Transfer-Encoding: chunked")
    kept = data[: int(place.argument.rstrip("i"))]
    if kept:
        await request.chunk(kept)
    request.cut()


async def is_cut_in_its_body(request: Request) -> None:
    if not request.is_call:
        return await right(request)
    body = line(text_of(request.message, "the answer", request.place.era))
    await request.head(200, f"Content-Type: {JSON}", f"Content-Length: {len(body)}")
    await request.send(body[: int(request.place.argument)])
    request.cut()


async def stalls(request: Request) -> None:
    """`head`: accepts and says nothing; `body`: says a head; `event`: starts a stream and leaves it."""
    if not request.is_call or request.message["params"]["name"] != "write":
        return await right(request)
    if request.place.argument != "head":
        await request.head(
            200, f"Content-Type: {EVENTS if request.place.argument == 'event' else JSON}", "Transfer-Encoding: chunked"
        )
    if request.place.argument == "event":
        await request.chunk(b": hello\n\n")
    await asyncio.Event().wait()


async def sends_without_end(request: Request) -> None:
    """`line`: an event; `body`: a JSON text; `gzip`: a body that grows when it is unpacked; `notice`: after a notification."""
    what = request.place.argument
    is_notice = request.verb == "POST" and "id" not in request.message
    if not (request.is_call if what != "notice" else is_notice):
        return await right(request)
    block = b"x" * (1 << 20)
    more = ()
    if what == "gzip":
        block, more = gzip.compress(b" " * (64 << 20)), ("Content-Encoding: gzip",)
    kind = EVENTS if what == "line" else JSON
    await request.head(200, f"Content-Type: {kind}", "Transfer-Encoding: chunked", *more)
    if what != "gzip":
        await request.chunk(b"data: " if what == "line" else b'{"jsonrpc": "')
    while True:
        await request.chunk(block)


async def floods(request: Request) -> None:
    if not request.is_call:
        return await right(request)
    await request.head(200, f"Content-Type: {EVENTS}", "Transfer-Encoding: chunked")
    block = b"".join(event(log(f"message {number}")) for number in range(1000))
    for _ in range(FLOOD // 1000):
        await request.chunk(block)
    await request.chunk(event(reply(request.message, request.place.era) or {}))
    await request.send(b"0\r\n\r\n")


async def answers_twice(request: Request) -> None:
    if not request.is_call:
        return await right(request)
    first, second = reply(request.message, request.place.era) or {}, text_of(request.message, "again", request.place.era)
    await request.stream(event(first) + event(second))


async def answers_others(request: Request) -> None:
    """The stream of a call carries answers to requests that were never sent, and junk, before its own."""
    if not request.is_call:
        return await right(request)
    foreign = text_of({"id": 987_654_321}, "not yours", request.place.era)
    await request.stream(
        event(foreign)
        + b"data: junk\n\ndata: []\n\n: comment\n\nevent: other\ndata: {}\n\n"
        + event(reply(request.message, request.place.era) or {})
    )


async def answers_with(request: Request) -> None:
    """Calls are answered with that status and a page of HTML."""
    if not request.is_call:
        return await right(request)
    await request.whole(int(request.place.argument), b"<html>no</html>" * 100_000, "text/html")


async def breaks_connections(request: Request) -> None:
    """Every second connection is reset before an answer; the next one works."""
    tries = sum(1 for seen in request.place.seen if seen.get("tool"))
    if request.is_call and tries % 2 == 1:
        return request.cut()
    await right(request)


async def redirects(request: Request) -> None:
    """`away`: to another origin, which writes down what it gets; `round`: to itself, for ever."""
    if not request.is_call:
        return await right(request)
    host = request.headers["host"].replace("127.0.0.1", "localhost")
    where = f"http://{host}/modern/right/-/stolen" if request.place.argument == "away" else request.path
    await request.head(307, f"Location: {where}", "Content-Length: 0")


async def says_no_to_get(request: Request) -> None:
    """GET is answered with that status, or not at all (`hang`), or with a page."""
    what = request.place.argument
    if request.verb != "GET":
        return await right(request)
    if what == "hang":
        await asyncio.Event().wait()
    elif what == "html":
        await request.whole(200, b"<html></html>", "text/html")
    else:
        await request.whole(int(what))


async def accepts_oddly(request: Request) -> None:
    """Notifications are accepted with odd answers."""
    if request.verb != "POST" or "id" in request.message:
        return await right(request)
    bodies = {"empty": b"", "null": b"null", "text": b"Accepted"}
    if request.place.argument == "204":
        return await request.head(204)
    await request.whole(202 if request.place.argument == "text" else 200, bodies[request.place.argument])


async def refuses_calls(request: Request) -> None:
    if not request.is_call:
        return await right(request)
    await request.whole(200, line(failure(request.message, -32050, "not today")))


FAULTS: dict[str, Callable[[Request], Awaitable[None]]] = {
    fault.__name__: fault
    for fault in (
        right, loses_its_session, is_cut_in_its_stream, is_cut_in_its_body, stalls, sends_without_end,
        floods, answers_twice, answers_others, answers_with, breaks_connections,
        redirects, says_no_to_get, accepts_oddly, refuses_calls,
    )
}  # fmt: skip
PLACES: dict[str, Place] = {}


def place_of(path: str) -> Place:
    _, era, fault, argument, *_ = path.split("/")
    return PLACES.setdefault(path, Place(era, fault, argument))


async def read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Request | None:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *rest = head.decode().split("\r\n")[:-2]
    verb, path, _ = first.split(" ")
    headers = {name.strip().lower(): value.strip() for name, _, value in (text.partition(":") for text in rest)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    if path.startswith("/seen/"):
        data = json.dumps(place_of(path.removeprefix("/seen")).seen).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(data), data))
        return None
    request = Request(verb, path, headers, body, place_of(path), writer)
    note: dict[str, Any] = {"verb": verb, "headers": headers}
    if verb == "POST":
        note["method"] = request.message.get("method")
        if request.is_call:
            note["tool"] = request.message["params"]["name"]
    request.place.seen.append(note)
    return request


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while not writer.is_closing():
            request = await read(reader, writer)
            if request is not None:
                await FAULTS[request.place.fault](request)
            await writer.drain()
    writer.close()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 20)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
