"""The server as an ASGI application: any ASGI web server is the IO, the engine decides everything else."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

from ._pump import Pump
from ._result import dumps
from ._runner import Runner

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_HEAD, _BODY, _END = 0, 1, 2


class _Head(msgspec.Struct):
    status: int
    headers: list[tuple[str, str]] = []


_decode_head = msgspec.json.Decoder(_Head).decode


class AsgiApp:
    """Made by `Server.asgi`. Starts the server at the first request when nobody runs its lifespan, as mounted apps are."""

    def __init__(self, runner: Runner, path: str | None, principal: Callable[[Any], Any] | None) -> None:
        self._runner = runner
        self._path = path.rstrip("/") if path is not None else None
        self._principal = principal
        self._pump: Pump | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1000})

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Any = None) -> AsyncGenerator[None, None]:
        """For a web framework whose lifespan should cover the server's: `FastAPI(lifespan=mcp_app.lifespan)`."""
        async with self._runner.running() as pump:
            self._pump = pump
            try:
                yield
            finally:
                self._pump = None

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        async with contextlib.AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(self.lifespan())
            except BaseException as error:
                await send({"type": "lifespan.startup.failed", "message": str(error)})
                raise
            await send({"type": "lifespan.startup.complete"})
            await receive()
            if self._pump is not None:
                self._pump.close(None)
                await self._pump.ended
        await send({"type": "lifespan.shutdown.complete"})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = _path_below(scope)
        if self._path is not None and path.rstrip("/") != self._path:
            await send({"type": "http.response.start", "status": 404, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body", "body": b""})
            return
        pump = self._pump
        if pump is None or pump.loop is not asyncio.get_running_loop():
            pump = self._pump = await self._runner.enter()
        body = await _read(receive, int(pump.engine.limit("message_bytes")))
        if body is None:
            return  # the client left before it had said what it wants
        answer = _Answer()
        try:
            token = pump.engine.handle_http(self._head(scope, path), body)
        except pump.fault as fault:  # a head that no HTTP has: another server would have refused it before
            await send({"type": "http.response.start", "status": 400, "headers": [(b"content-type", b"text/plain; charset=utf-8")]})
            await send({"type": "http.response.body", "body": fault.message.encode()})
            return
        pump.sinks[token] = answer
        pump.contexts[token] = contextvars.copy_context()
        try:
            pump.touch()
            await self._answer(pump, token, answer, receive, send)
        finally:
            pump.sinks.pop(token, None)
            pump.contexts.pop(token, None)

    def _head(self, scope: Scope, path: str) -> bytes:
        head: dict[str, Any] = {
            "method": scope["method"],
            "path": path,
            "query": scope.get("query_string", b"").decode("latin-1"),
            "headers": [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]],
            "root_path": scope.get("root_path", ""),
        }
        server = scope.get("server")
        if server:
            head["server"] = server[0]
        principal = self._principal(scope) if self._principal is not None else None
        if principal is not None:
            head["principal"] = principal
        return dumps(head)

    async def _answer(self, pump: Pump, token: int, answer: _Answer, receive: Receive, send: Send) -> None:
        leaving: asyncio.Future[None] | None = None
        try:
            while True:
                if not answer.parts:
                    if leaving is None:
                        leaving = asyncio.ensure_future(_left(receive))
                    await asyncio.wait((answer.wait(), leaving), return_when=asyncio.FIRST_COMPLETED)
                    if leaving.done() and not answer.parts:
                        pump.engine.drop_http(token)
                        return
                parts, answer.parts = answer.parts, []
                ended = await _send_parts(parts, send)
                if ended:
                    return
                # Said after the send has returned: a slow reader holds it back, and the engine notices.
                pump.engine.sent_http(token, sum(len(text) for part, text in parts if part == _BODY))
        except BaseException:  # servers and middleware have many ways to say that the client left
            pump.engine.drop_http(token)
            raise
        finally:
            if leaving is not None:
                leaving.cancel()


class _Answer:
    """The parts of an answer that have not been sent yet."""

    def __init__(self) -> None:
        self.parts: list[tuple[int, bytes]] = []
        self._waiter: asyncio.Future[None] | None = None

    def put(self, part: int, text: bytes) -> None:
        self.parts.append((part, text))
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def wait(self) -> asyncio.Future[None]:
        self._waiter = asyncio.get_running_loop().create_future()
        return self._waiter


async def _send_parts(parts: list[tuple[int, bytes]], send: Send) -> bool:
    """Sends them; whether the last of them was the end."""
    body = b""
    ended = False
    for part, text in parts:
        if part == _HEAD:
            head = _decode_head(text)
            headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in head.headers]
            await send({"type": "http.response.start", "status": head.status, "headers": headers})
        elif part == _BODY:
            body += text
        elif part == _END:
            ended = True
    if body or ended:
        await send({"type": "http.response.body", "body": body, "more_body": not ended})
    return ended


async def _read(receive: Receive, limit: int) -> bytes | None:
    """The body, one byte more than `limit` at most: the engine then refuses it in its own words. None: the client left."""
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        chunk: bytes = message.get("body", b"")
        chunks.append(chunk)
        size += len(chunk)
        if size > limit:
            return b"".join(chunks)[: limit + 1]
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _path_below(scope: Scope) -> str:
    """The path below the mount point; some servers put the mount point in front of it, some do not (H12)."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "").rstrip("/")
    if root and (path == root or path.startswith(root + "/")):
        path = path[len(root) :]
    return path or "/"
