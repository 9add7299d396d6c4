"""What changes at a server, as something to iterate over."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from ._callbacks import Change
from ._inbox import Inbox, finish, loop_inbox, thread_inbox
from ._read import plain
from ._request import Request

if TYPE_CHECKING:
    from ._connection import Connection
    from ._life import Life


class Changes:
    """The changes of a server from the first step of the iteration on: `async for change in changes`, or a plain `for`.

    Changes that nobody took yet are gathered: of each list and each resource one waits at most. The iteration ends when the client
    is closed by its user or the server ends the subscription; it raises `Closed` when the connection was lost for good.
    """

    def __init__(self, life: Life, kinds: Collection[str], uris: Collection[str]) -> None:
        self._life = life
        self._kinds, self._uris = frozenset(kinds), frozenset(uris)
        self._waiting: dict[tuple[str, str | None], Change] = {}
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._token = 0
        self._over = False
        self._error: BaseException | None = None
        self._wake: tuple[asyncio.AbstractEventLoop, asyncio.Event] | threading.Event | None = None

    def put(self, change: Change, token: int) -> None:
        """Something changed; called by whoever reads for the client."""
        if change.kind == "ended":
            if token == self._token:
                self.end(None)
            return
        if change.kind == "resource":
            wanted = change.uri in self._uris
        else:
            wanted = change.kind in self._kinds or (change.kind == "missed" and token in (0, self._token))
        if wanted:
            with self._lock:
                key = change.kind, change.uri
                before = self._waiting.get(key)
                self._waiting[key] = change if before is None else _both(before, change)
            self._ring()

    def end(self, error: BaseException | None) -> None:
        """Nothing will follow."""
        self._over, self._error = True, error
        self._ring()

    def _ring(self) -> None:
        wake = self._wake
        if isinstance(wake, threading.Event):
            wake.set()
        elif wake is not None and not wake[0].is_closed():
            wake[0].call_soon_threadsafe(wake[1].set)

    async def _begin(self, reader: Inbox) -> None:
        connection = self._life.live()
        connection.changes.add(self)
        wanted: dict[str, Any] = dict.fromkeys(sorted(self._kinds), True)
        request = Request("listen", {**wanted, "uris": sorted(self._uris)}, plain, {})
        self._token = connection.start(request, reader)
        await reader.answer(connection, self._token)
        self._connection = connection  # not before: a step that was given up is begun anew by the next one
        if self._over:  # closed meanwhile
            connection.native.cancel(self._token, "nobody listens any more")

    def _next(self) -> Change | None:
        with self._lock:
            if self._waiting:
                return self._waiting.pop(next(iter(self._waiting)))
        if self._over:
            if self._error is not None:
                raise self._error
            raise StopAsyncIteration
        return None

    def __aiter__(self) -> Changes:
        return self

    async def __anext__(self) -> Change:
        if self._connection is None:
            self._wake = asyncio.get_running_loop(), asyncio.Event()
            await self._begin(loop_inbox())
        assert isinstance(self._wake, tuple)
        while (change := self._next()) is None:
            self._wake[1].clear()
            if not self._waiting and not self._over:
                await self._wake[1].wait()
        return change

    def __iter__(self) -> Changes:
        return self

    def __next__(self) -> Change:
        if self._connection is None:
            self._wake = threading.Event()
            finish(self._begin(thread_inbox()))
        assert isinstance(self._wake, threading.Event)
        try:
            while (change := self._next()) is None:
                self._wake.wait()
                self._wake.clear()
        except StopAsyncIteration:
            raise StopIteration from None
        return change

    def close(self) -> None:
        """Ends the subscription; may be called from any thread, and twice."""
        if self._connection is not None and not self._over:
            self._connection.native.cancel(self._token, "nobody listens any more")
        self.end(None)

    async def __aenter__(self) -> Changes:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def __enter__(self) -> Changes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if self._connection is not None and not self._over:
            self._connection.native.cancel(self._token, "nobody listens any more")


def _both(first: Change, then: Change) -> Change:
    """Two changes of one list as one: what was added and removed again is neither."""
    added = [name for name in first.added if name not in then.removed]
    removed = [name for name in first.removed if name not in then.added]
    changed = {*first.changed, *then.changed, *(set(first.removed) & set(then.added))} - set(then.removed) - set(added)
    return Change(
        kind=then.kind,
        uri=then.uri,
        added=sorted({*added, *(set(then.added) - set(first.removed))}),
        removed=sorted({*removed, *(set(then.removed) - set(first.added))}),
        changed=sorted(changed),
    )
