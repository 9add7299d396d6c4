"""Runs the callbacks of one client in the order of what they are told, on its event loop or on a thread."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from .._failure import log


class Serial:
    """Runs callbacks of one client one after the other, in the order in which they were added."""

    def add(self, call: Callable[[], Any], done: Callable[[], None]) -> None:
        """Calls `call`, waits for what it returns where that can be awaited, then calls `done`."""
        raise NotImplementedError

    def ask(self, answer: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], object]:
        """Runs a question besides everything else; what is returned stops it."""
        raise NotImplementedError


class LoopSerial(Serial):
    """On an event loop; one task at most."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._queue: deque[tuple[Callable[[], Any], Callable[[], None]]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._questions: set[asyncio.Task[None]] = set()

    def add(self, call: Callable[[], Any], done: Callable[[], None]) -> None:
        if not self._is_running_here():
            if self._loop.is_closed():
                return done()  # nobody is left to be told
            self._loop.call_soon_threadsafe(self.add, call, done)
        elif self._task is not None:
            self._queue.append((call, done))
        else:
            outcome = guarded(call)
            if hasattr(outcome, "__await__"):
                self._task = self._loop.create_task(self._go(outcome, done))
            else:
                done()

    def _is_running_here(self) -> bool:
        """By the loop and not by its thread: a loop may be run by another thread than the one it began on."""
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False

    async def _go(self, outcome: Any, done: Callable[[], None]) -> None:
        try:
            while True:
                if hasattr(outcome, "__await__"):
                    # A task of its own: its cancellation from inside is not the end of those behind it.
                    await asyncio.wait({asyncio.ensure_future(_guarded_await(outcome))})
                done()
                if not self._queue:
                    return
                call, done = self._queue.popleft()
                outcome = guarded(call)
        finally:
            self._task = None

    def ask(self, answer: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], object]:
        task = self._loop.create_task(answer())
        self._questions.add(task)
        task.add_done_callback(self._questions.discard)

        def stop() -> None:
            if not self._is_running_here():
                if not self._loop.is_closed():
                    self._loop.call_soon_threadsafe(task.cancel)
            elif asyncio.current_task() is not task:  # a question may close its own client
                task.cancel()

        return stop


class ThreadSerial(Serial):
    """On a thread that lives as long as there is something to do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queue: deque[tuple[Callable[[], Any], Callable[[], None]]] = deque()
        self._busy = False

    def add(self, call: Callable[[], Any], done: Callable[[], None]) -> None:
        with self._lock:
            self._queue.append((call, done))
            if self._busy:
                return
            self._busy = True
        threading.Thread(target=self._run, name="omniport-callbacks", daemon=True).start()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._queue:
                    self._busy = False
                    return
                call, done = self._queue.popleft()
            try:
                outcome = guarded(call)
                if hasattr(outcome, "__await__"):
                    asyncio.run(_guarded_await(outcome))
            except BaseException:  # sys.exit() in a callback ends nothing here: those behind it still run
                log.exception("a callback of a client gave up")
            done()

    def ask(self, answer: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], object]:
        threading.Thread(target=lambda: asyncio.run(answer()), name="omniport-question", daemon=True).start()
        return lambda: None


def guarded(call: Callable[[], Any]) -> Any:
    """What `call` returns; a callback that raises is logged and harms nothing."""
    try:
        return call()
    except Exception:
        log.exception("a callback of a client failed")
        return None


async def _guarded_await(outcome: Any) -> None:
    try:
        await outcome
    except Exception:
        log.exception("a callback of a client failed")
