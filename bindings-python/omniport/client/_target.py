"""Where a server is: an address, a command, an entry of a file, a server of this process."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import os
import threading
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .. import _native
from .._result import dumps
from ..errors import DefinitionError, from_fault
from ._inbox import Inbox, LoopInbox

if TYPE_CHECKING:
    from .._runner import Runner
    from ..server import Server

T = TypeVar("T")


class Target:
    """How a connection is made."""

    async def connect(self, native: _native.Client, reader: Inbox) -> tuple[int, Hosting | None]:
        """The token whose answer says with whom, and what must be kept up for it."""
        raise NotImplementedError


class Remote(Target):
    """A server elsewhere: `given` says where in the words of the native layer."""

    def __init__(self, given: Mapping[str, Any], name: str) -> None:
        self._given = dumps(dict(given))
        try:
            _native.check_target(self._given)
        except _native.Fault as fault:
            raise from_fault(fault) from None
        self._name = name

    def __str__(self) -> str:
        return self._name

    async def connect(self, native: _native.Client, reader: Inbox) -> tuple[int, Hosting | None]:
        return native.connect_target(reader.native, self._given), None


class Local(Target):
    """A server of this process."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def __str__(self) -> str:
        return f"the server {self._server.name!r} of this process"

    async def connect(self, native: _native.Client, reader: Inbox) -> tuple[int, Hosting | None]:
        hosting = Hosting(self._server._runner, reader)
        engine = await hosting.enter(reader)
        try:
            return native.connect_engine(reader.native, engine), hosting
        except BaseException:
            await hosting.leave(reader)
            raise


class Hosting:
    """Keeps a server of this process at work while a client uses it: on the client's loop, else on one of ours."""

    def __init__(self, runner: Runner, reader: Inbox) -> None:
        self._runner = runner
        loop = reader.loop() if isinstance(reader, LoopInbox) else _background()
        assert loop is not None
        self._loop = loop

    async def enter(self, reader: Inbox) -> _native.Engine:
        return (await self._on_loop(self._runner.enter(), reader)).engine

    async def leave(self, reader: Inbox) -> None:
        if not self._loop.is_closed():
            await self._on_loop(self._runner.leave(), reader)

    def abandon(self) -> None:
        """Leaves without waiting; called wherever the client was collected."""
        if self._loop.is_running():
            asyncio.run_coroutine_threadsafe(self._runner.leave(), self._loop)

    async def _on_loop(self, work: Coroutine[Any, Any, T], reader: Inbox) -> T:
        if isinstance(reader, LoopInbox) and reader.loop() is self._loop:
            return await work
        future: concurrent.futures.Future[T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return await reader.outcome(future)


_lock = threading.Lock()
_loop: tuple[int, asyncio.AbstractEventLoop] | None = None


def _background() -> asyncio.AbstractEventLoop:
    """The loop on which servers of this process serve clients that have none."""
    global _loop
    with _lock:
        if _loop is None or _loop[0] != os.getpid():
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="omniport-servers", daemon=True).start()
            _loop = os.getpid(), loop
        return _loop[1]


class InFile:
    """A server that an `mcpServers` file names."""

    def __init__(self, config: str | os.PathLike[str] | Mapping[str, Any], name: str | None) -> None:
        text = json.dumps(config) if isinstance(config, Mapping) else Path(config).read_text("utf-8")
        self.given: dict[str, Any] = {"file": text, **({} if name is None else {"name": name})}
        self.name = name or "the only server of its file"


def target_of(place: Any, *, env: Mapping[str, str] | None, cwd: str | os.PathLike[str] | None, http: Mapping[str, Any]) -> Target:
    """The target for what a client was given. Names for people hold no arguments and no query: those may be secrets (Y28)."""
    if isinstance(place, str):
        given: dict[str, Any] = {"url": place}
        name = place.partition("?")[0]
    elif isinstance(place, InFile):
        given, name = dict(place.given), place.name
    elif isinstance(place, Mapping):
        entry = cast("Mapping[str, Any]", place)
        given, name = {"entry": dict(entry)}, str(entry.get("command") or entry.get("url")).partition("?")[0]
    elif isinstance(place, Sequence) and not isinstance(place, (bytes, bytearray)):
        command = [_text_of(part) for part in cast("Sequence[str]", place)]
        given, name = {"command": command}, command[0] if command else "an empty command"
    elif hasattr(place, "_runner"):
        return Local(cast("Server", place))
    else:
        raise DefinitionError(
            f"a client needs a URL, a command, an entry of an mcpServers file or a Server, not a {type(place).__name__}"
        )
    if env is not None:
        given["env"] = dict(env)
    if cwd is not None:
        given["cwd"] = _text_of(cwd)
    if http:
        given["http"] = dict(http)
    return Remote(given, name)


def _text_of(path: Any) -> str:
    """A path or an argument as text; what no text can hold is refused, since something else would be run in its place."""
    text = os.fsdecode(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DefinitionError(f"a command and a directory are given as UTF-8, which {ascii(text)} is not") from None
    return text
