"""Who reads what clients tell: each event loop for the calls made on it, each thread for those it waits for.

One inbox serves all clients that are used on its loop or thread, so that ten thousand clients cost no more descriptors than one.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import select
import threading
import weakref
from collections import deque
from collections.abc import Coroutine
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from .. import _native
from .._failure import log
from ._read import InputRequired, error_of
from ._serial import LoopSerial, Serial, ThreadSerial

if TYPE_CHECKING:
    from ._connection import Connection

T = TypeVar("T")
_TURN_SECONDS = 0.002
_SETTLE_SECONDS = 0.05

connections: dict[int, weakref.ref[Connection]] = {}
"""Every connection of this process, by its number."""


class Inbox:
    """What is told to one reader."""

    def __init__(self) -> None:
        self.native = _native.Inbox()
        self._urgent: deque[tuple[Connection, int, int, bytes]] = deque()
        self._patient: deque[tuple[Connection, int, int, bytes]] = deque()
        self._handing = False

    @property
    def closed(self) -> bool:
        """Whether nobody reads it any more."""
        return False

    def take(self) -> None:
        """Gives answers to whoever waits, and hands on the rest but for what can wait: no answer is behind a flood (Y09)."""
        for number, part, token, text in self.native.take():
            reference = connections.get(number)
            connection = reference() if reference is not None else None
            if connection is None:
                continue
            if part <= _native.TOLD_INPUT:
                waiter = connection.pending.pop(token, None)
                if waiter is not None and not waiter.done():
                    if part == _native.TOLD_ERROR:
                        waiter.set_exception(error_of(text))
                    else:
                        waiter.set_result(text if part == _native.TOLD_RESULT else InputRequired(text))
            elif part in _CAN_WAIT:
                self._patient.append((connection, part, token, text))
            else:
                self._urgent.append((connection, part, token, text))
        if self._urgent:
            self._hand_on(self._urgent, perf_counter() + _SETTLE_SECONDS)  # more would keep a time limit from being heard

    def tell(self, seconds: float) -> bool:
        """Hands on what is left and what could wait, for at most that long; whether something is left."""
        if not self._urgent and not self._patient:
            return False
        until = perf_counter() + seconds
        return self._hand_on(self._urgent, until) or self._hand_on(self._patient, until)

    def _hand_on(self, queue: deque[tuple[Connection, int, int, bytes]], until: float) -> bool:
        if self._handing:
            return (
                False  # a callback waits for a call of its own: whoever runs it goes on with the queue, so that the order is kept
            )
        self._handing = True
        try:
            while queue:
                connection, part, token, text = queue.popleft()
                try:
                    connection.told(part, token, text, self)
                except Exception:  # of one thing that was told; those behind it must not be lost
                    log.exception("what a server told could not be handled")
                if perf_counter() > until:
                    break
        finally:
            self._handing = False
        return bool(queue)

    async def answer(self, connection: Connection, token: int) -> bytes:
        """Waits for the answer of a call."""
        raise NotImplementedError

    async def outcome(self, future: concurrent.futures.Future[T]) -> T:
        """Waits for what another loop or thread does."""
        raise NotImplementedError

    def serial(self) -> Serial:
        """What runs the callbacks of one client, where this is its home."""
        raise NotImplementedError


_CAN_WAIT = frozenset({_native.TOLD_LOG, _native.TOLD_CHANGE, _native.TOLD_STDERR, _native.TOLD_REPORT})


class LoopInbox(Inbox):
    """Read by an event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self.loop = weakref.ref(loop)  # the loop holds the inbox, by its reader
        loop.add_reader(self.native.wake_fd(), self._turn)

    @property
    def closed(self) -> bool:
        loop = self.loop()
        return loop is None or loop.is_closed()

    def _turn(self) -> None:
        self.take()
        if self.tell(_TURN_SECONDS) and (loop := self.loop()) is not None:
            loop.call_soon(self._turn)

    async def answer(self, connection: Connection, token: int) -> bytes:
        future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        connection.pending[token] = future
        try:
            return await future
        except asyncio.CancelledError:
            connection.native.cancel(token, "The caller gave up")
            raise
        finally:
            connection.pending.pop(token, None)

    async def outcome(self, future: concurrent.futures.Future[T]) -> T:
        return await asyncio.wrap_future(future)

    def serial(self) -> Serial:
        loop = self.loop()
        assert loop is not None
        return LoopSerial(loop)


class Waiter:
    """The part of a future that an inbox needs."""

    __slots__ = ("error", "text")

    def __init__(self) -> None:
        self.text: bytes | None = None
        self.error: BaseException | None = None

    def done(self) -> bool:
        return self.text is not None or self.error is not None

    def set_result(self, text: bytes, /) -> None:
        self.text = text

    def set_exception(self, error: BaseException, /) -> None:
        self.error = error


class ThreadInbox(Inbox):
    """Read by the one thread that waits. Its coroutines never suspend: `finish` runs them to their end."""

    def __init__(self) -> None:
        super().__init__()
        self._poll = select.poll()
        self._poll.register(self.native.wake_fd(), select.POLLIN)

    def expect(self, connection: Connection, token: int) -> Waiter:
        """Who waits for that answer, whichever comes first of several."""
        waiter = connection.pending[token] = Waiter()
        return waiter

    def wait(self, waiter: Waiter) -> bytes:
        """Blocks until the answer is there; Ctrl-C interrupts it."""
        while not waiter.done():
            self._poll.poll(0 if self._urgent and not self._handing else None)
            self.take()
        if self.tell(_SETTLE_SECONDS):
            # Callbacks that take their time go on without this call.
            for queue in (self._urgent, self._patient):
                while queue:
                    connection, part, token, text = queue.popleft()
                    connection.told(part, token, text, None)
        if waiter.error is not None:
            raise waiter.error
        assert waiter.text is not None
        return waiter.text

    async def answer(self, connection: Connection, token: int) -> bytes:
        waiter = self.expect(connection, token)
        try:
            return self.wait(waiter)
        except BaseException:
            if not waiter.done():
                connection.native.cancel(token, "The caller gave up")
            raise
        finally:
            connection.pending.pop(token, None)

    async def outcome(self, future: concurrent.futures.Future[T]) -> T:
        return future.result()


class Watch(Inbox):
    """Read by a thread of our own: the home of all clients that were opened without an event loop."""

    def __init__(self) -> None:
        super().__init__()
        threading.Thread(target=self._run, name="omniport-clients", daemon=True).start()

    def _run(self) -> None:
        poll = select.poll()  # and no native wait: a daemon thread may be stopped in the former at the end of the process
        poll.register(self.native.wake_fd(), select.POLLIN)
        while True:
            poll.poll()
            self.take()
            while self.tell(1.0):
                self.take()

    def serial(self) -> Serial:
        return ThreadSerial()


def finish(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine that waits by a `ThreadInbox` and therefore never suspends."""
    try:
        work.send(None)
    except StopIteration as stop:
        return stop.value
    work.close()
    raise RuntimeError("a plain call tried to await")


class _Local(threading.local):
    thread: ThreadInbox | None = None
    loop: LoopInbox | None = None


_local = _Local()
_loops: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, LoopInbox] = weakref.WeakKeyDictionary()
_watch: Watch | None = None
_lock = threading.Lock()


def loop_inbox() -> LoopInbox:
    """The inbox of the running event loop."""
    loop = asyncio.get_running_loop()
    inbox = _local.loop
    if inbox is not None and inbox.loop() is loop:
        return inbox
    with _lock:
        inbox = _loops.get(loop)
        if inbox is None:
            inbox = _loops[loop] = LoopInbox(loop)
    _local.loop = inbox
    return inbox


def thread_inbox() -> ThreadInbox:
    """The inbox of this thread."""
    inbox = _local.thread
    if inbox is None:
        inbox = _local.thread = ThreadInbox()
    return inbox


def watch() -> Watch:
    """The one that is read by a thread of ours, begun with its first use."""
    global _watch
    with _lock:
        if _watch is None:
            _watch = Watch()
        return _watch


def _forget() -> None:
    """After a fork: the readers of the other process did not come along."""
    global _watch, _local, _lock
    _watch, _local, _lock = None, _Local(), threading.Lock()
    _loops.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
