"""The life of a client: opened by its first user, closed by its last, and opened anew after that (Y25)."""

from __future__ import annotations

import atexit
import concurrent.futures
import contextvars
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

from ..errors import Closed
from ._connection import Connection
from ._inbox import Inbox, Waiter, connections, thread_inbox

Opening = concurrent.futures.Future[Connection]


class _GivenUp(Closed):
    """Whoever opened the client was cancelled: another one opens it."""


_Block = tuple["weakref.ref[Life]", "weakref.ref[Opening]"]
_inside: contextvars.ContextVar[tuple[_Block, ...]] = contextvars.ContextVar("omniport_inside", default=())
"""The blocks that the running code is inside of, and the opening that each entered. One that is never left keeps nothing."""


class Life:
    """Counts the users of a client and holds its one connection. Every method may be called on any loop and thread."""

    def __init__(self, make: Callable[[Inbox], Connection]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._users = 0
        self._connection: Connection | None = None
        self._opening: Opening | None = None

    def __getstate__(self) -> Any:
        raise TypeError("a client holds a connection and cannot be pickled: make one in each process, of the same target")

    @property
    def connection(self) -> Connection | None:
        """The connection, the last one when it is over."""
        return self._connection

    def live(self) -> Connection:
        """The connection that requests are sent on."""
        connection = self._connection
        if connection is None or connection.closing:
            raise Closed("the client is not open: use it inside of `async with` or `with`, or call connect()")
        return connection

    async def enter(self, reader: Inbox) -> Opening:
        """One more user; the first one opens the connection, others wait for that."""
        while True:
            opening, is_first = self._opening_to_join()
            if is_first:
                await self._open(opening, reader)
                return opening
            try:
                await reader.outcome(opening)
                return opening
            except _GivenUp:
                continue
            except BaseException:
                with self._lock:
                    if self._opening is opening:
                        self._users = max(0, self._users - 1)
                raise

    def _opening_to_join(self) -> tuple[Opening, bool]:
        """The opening of the one more user, and whether it is the user's to do."""
        with self._lock:
            opening = self._opening
            is_first = opening is None or (opening.done() and opening.result().is_over)
            if is_first:
                self._users = 0
                opening = self._opening = concurrent.futures.Future()
                opening.set_running_or_notify_cancel()  # whoever gives up waiting does not take it from the others
            self._users += 1
            assert opening is not None
            return opening, is_first

    async def _open(self, opening: Opening, reader: Inbox) -> None:
        try:
            connection = self._make(reader)
            self._connection = connection
            await connection.open(reader)
        except BaseException as error:
            with self._lock:
                if self._opening is opening:  # a close() and a new opening may have come before
                    self._opening, self._users = None, 0
            opening.set_exception(error if isinstance(error, Exception) else _GivenUp("the opening was given up"))
            raise
        opening.set_result(connection)

    async def enter_block(self, reader: Inbox) -> None:
        """As `enter`, for a block that `leave` ends."""
        opening = await self.enter(reader)
        blocks = [block for block in _inside.get() if block[0]() is not None]
        _inside.set((*blocks, (weakref.ref(self), weakref.ref(opening))))

    async def leave(self, reader: Inbox) -> None:
        """One user less; the last one closes the connection."""
        blocks = _inside.get()
        at = next((at for at in reversed(range(len(blocks))) if blocks[at][0]() is self), None)
        if at is not None:
            _inside.set(blocks[:at] + blocks[at + 1 :])
        with self._lock:
            if self._users == 0 or (at is not None and blocks[at][1]() is not self._opening):
                return  # close() came before; a connection that others opened after it is theirs
            self._users -= 1
            if self._users:
                return
        await self.close(reader)

    async def close(self, reader: Inbox) -> None:
        """Closes the connection, whoever uses it; what still waits fails. Twice is once."""
        with self._lock:
            self._users, self._opening = 0, None
            connection = self._connection
        if connection is not None:
            await connection.close(reader)

    def facts(self) -> dict[str, Any]:
        """What the server said when the connection was made."""
        return self._connection.said if self._connection is not None else {}


def _close_all() -> None:
    """At the end of the process: no server process stays, and nothing is said (C10)."""
    inbox = thread_inbox()
    ends: list[Waiter] = []
    for reference in list(connections.values()):
        connection = reference()
        if connection is not None and not connection.closing:
            connection.closing = True
            ends.append(inbox.expect(connection, connection.native.close(inbox.native)))
    for end in ends:
        inbox.wait(end)


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=connections.clear)
