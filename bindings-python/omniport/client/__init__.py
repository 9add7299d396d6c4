"""A client: one connection to one server, for event loops and for plain threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from .._result import dumps
from ._callbacks import Answer, Callbacks, Change, Roots, State
from ._changes import Changes
from ._connection import Connection
from ._inbox import finish, loop_inbox, thread_inbox
from ._life import Life
from ._methods import ByHandMethods, Methods
from ._request import Awaits, CallOptions, Request, Tell, Waits, check_seconds
from ._target import InFile, target_of

if TYPE_CHECKING:
    from typing_extensions import Self

    from ..server import Server

T = TypeVar("T")

__all__ = ["ByHand", "CallOptions", "Change", "Changes", "Client", "State", "SyncByHand", "SyncClient"]


class _Face(Methods):
    """What both faces of a client know without asking the server."""

    _life: Life

    @property
    def server_info(self) -> dict[str, Any]:
        """Name and version of the server, as it says itself."""
        return self._life.facts().get("server") or {}

    @property
    def server_capabilities(self) -> dict[str, Any]:
        return self._life.facts().get("capabilities") or {}

    @property
    def protocol_version(self) -> str | None:
        """The revision that is spoken; given as `known` to the next client of this server, it saves asking."""
        return self._life.facts().get("protocol_version")

    @property
    def instructions(self) -> str | None:
        return self._life.facts().get("instructions")

    @property
    def state(self) -> State:
        """How the connection is."""
        connection = self._life.connection
        return connection.state if connection is not None else "closed"

    @property
    def cause(self) -> str | None:
        """Why it is recovering or failed."""
        connection = self._life.connection
        return connection.cause if connection is not None else None

    def roots_changed(self) -> None:
        """Tells the server that the roots are different now."""
        connection = self._life.live()
        connection.check_process()
        connection.native.roots_changed()

    def listen(
        self,
        *,
        tools: bool = True,
        resources: bool = True,
        prompts: bool = True,
        uris: Collection[str] = (),
    ) -> Changes:
        """The changes of these lists and of the resources `uris`, to iterate over."""
        wanted = {"tools": tools, "resources": resources, "prompts": prompts}
        return Changes(self._life, [kind for kind, is_wanted in wanted.items() if is_wanted], uris)


class Client(_Face, Awaits):
    """`async with Client("https://host/mcp") as client: await client.call_tool("add", {"a": 1})`.

    A plain `with Client(...) as client:` gives a `SyncClient`, whose methods wait instead. Either may be used from several event
    loops and threads at once, and entered more than once: the last to leave closes the connection.
    """

    def __init__(
        self,
        target: str | Sequence[str] | Mapping[str, Any] | Server | InFile,
        *,
        name: str = "omniport",
        version: str = "0",
        headers: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        era: str | None = None,
        known: str | None = None,
        timeout: float | None = None,
        total_timeout: float | None = None,
        limits: Mapping[str, float] | None = None,
        recover: bool = True,
        check_output: bool = True,
        verify: bool | None = None,
        ca_file: str | os.PathLike[str] | None = None,
        cert: tuple[str | os.PathLike[str], str | os.PathLike[str]] | None = None,
        proxy: str | None = None,
        cookies: bool | None = None,
        socket: str | os.PathLike[str] | None = None,
        on_sample: Answer | None = None,
        sample_tools: bool = False,
        on_elicit: Answer | None = None,
        on_elicit_url: Answer | None = None,
        roots: Roots | None = None,
        capabilities: Mapping[str, Any] | None = None,
        on_log: Tell | None = None,
        on_progress: Tell | None = None,
        on_change: Callable[[Change], Any] | None = None,
        on_state: Callable[[State, str | None], Any] | None = None,
        on_stderr: Callable[[str], Any] | None = None,
    ) -> None:
        """
        `target`: a URL, a command with its arguments, an entry of an `mcpServers` file, or a Server of this process.
        `timeout`: seconds for each request, reset by progress; `total_timeout`: in all. Callbacks may be async. They run on the
        event loop that opened the client, one after the other; without a loop, on a thread.

        `on_sample`, `on_elicit` (forms) and `on_elicit_url` answer the server's questions; without them the capability is not
        declared. `sample_tools`: `on_sample` can use tools. `roots`: directories to offer, as URIs or `{"uri", "name"}`, or a
        function that gives them. `capabilities` are declared besides, for who answers by hand.
        `on_change` subscribes to the lists of a modern server. `on_state` gets the state and its cause, `on_stderr` each line that
        a server process writes there.

        `known`: the revision that this server spoke the last time. `recover`: whether a lost connection is made anew. `verify`,
        `ca_file`, `cert` (certificate and key files), `proxy`, `cookies` and `socket` (a Unix socket to connect to) are for HTTP.
        """
        http: dict[str, Any] = {
            "headers": dict(headers) if headers else None,
            "verify": verify,
            "ca_file": os.fspath(ca_file) if ca_file is not None else None,
            "client_cert": os.fspath(cert[0]) if cert is not None else None,
            "client_key": os.fspath(cert[1]) if cert is not None else None,
            "proxy": proxy,
            "cookies": cookies,
            "socket": os.fspath(socket) if socket is not None else None,
        }
        http = {member: value for member, value in http.items() if value is not None}
        place = target_of(target, env=env, cwd=cwd, http=http)
        callbacks = Callbacks(
            on_sample=on_sample,
            sample_tools=sample_tools,
            on_elicit=on_elicit,
            on_elicit_url=on_elicit_url,
            roots=roots,
            on_log=on_log,
            on_progress=on_progress,
            on_change=on_change,
            on_state=on_state,
            on_stderr=on_stderr,
        )
        check_seconds("timeout", timeout)
        check_seconds("total_timeout", total_timeout)
        bounds = {"call_for": timeout, "call_total": total_timeout}
        options: dict[str, Any] = {
            "name": name,
            "version": version,
            "answers": callbacks.answers(),
            "capabilities": dict(capabilities) if capabilities else None,
            "listens": callbacks.listens(),
            "limits": {**{limit: value for limit, value in bounds.items() if value is not None}, **(limits or {})},
            "era": era,
            "known": known,
            "recover": recover,
            "check_output": check_output,
            "watch_changes": on_change is not None,
        }
        text = dumps({member: value for member, value in options.items() if value is not None})
        self._life = Life(lambda reader: Connection(place, text, callbacks, reader))

    @classmethod
    def from_config(cls, config: str | os.PathLike[str] | Mapping[str, Any], name: str | None = None, **options: Any) -> Self:
        """A client of the server `name` of an `mcpServers` file, or of what such a file holds; `options` as for the class.

        `${NAME}`, `${NAME:-default}` and `${env:NAME}` stand for variables of the environment there, as in a single entry.
        """
        return cls(InFile(config, name), **options)

    @property
    def by_hand(self) -> ByHand:
        """The requests whose rounds of input the caller drives."""
        return ByHand(self._life)

    async def connect(self) -> None:
        """Opens the connection; `async with` does it."""
        await self._life.enter(loop_inbox())

    async def close(self) -> None:
        """Closes the connection; what still waits fails. May be called from any task, loop and thread, and twice."""
        await self._life.close(loop_inbox())

    async def __aenter__(self) -> Self:
        await self._life.enter_block(loop_inbox())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._life.leave(loop_inbox())

    def __enter__(self) -> SyncClient:
        finish(self._life.enter_block(thread_inbox()))
        return SyncClient(self._life)

    def __exit__(self, *_: object) -> None:
        finish(self._life.leave(thread_inbox()))

    async def _ask(self, request: Request[T]) -> T:
        return await self._life.live().ask(request, loop_inbox())


class SyncClient(_Face, Waits):
    """A client for threads without an event loop, given by `with Client(...) as client:`. Ctrl-C interrupts every call at once."""

    def __init__(self, life: Life) -> None:
        self._life = life

    @property
    def by_hand(self) -> SyncByHand:
        """The requests whose rounds of input the caller drives."""
        return SyncByHand(self._life)

    def close(self) -> None:
        """Closes the connection; what still waits fails. May be called from any thread, and twice."""
        finish(self._life.close(thread_inbox()))

    def _ask(self, request: Request[T]) -> T:
        return finish(self._life.live().ask(request, thread_inbox()))


class ByHand(ByHandMethods, Awaits):
    """See `Client.by_hand`."""

    def __init__(self, life: Life) -> None:
        self._life = life

    async def _ask(self, request: Request[T]) -> T:
        return await self._life.live().ask(request, loop_inbox())


class SyncByHand(ByHandMethods, Waits):
    """See `SyncClient.by_hand`."""

    def __init__(self, life: Life) -> None:
        self._life = life

    def _ask(self, request: Request[T]) -> T:
        return finish(self._life.live().ask(request, thread_inbox()))
