"""A server at work on an event loop: the pump, the lifespan, signals, the order of the shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import signal
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

from ._failure import log
from ._pump import Pump
from ._registry import Registry
from .context import Context
from .errors import RuleError

Lifespan = Callable[..., Any]
Observe = Callable[[Pump, bytes], None]


class Runner:
    """Holds the one pump of a server; whoever serves enters, and the last to leave stops it."""

    def __init__(self, registry: Registry, owner: Any, lifespan: Lifespan | None, threads: int) -> None:
        self._registry = registry
        self._owner = owner
        self._lifespan = lifespan
        self._threads = threads
        self.context_class: type[Context] = Context
        """What handlers are given."""
        self._pump: Pump | None = None
        self._users = 0
        self._stack: contextlib.AsyncExitStack | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock: asyncio.Lock | None = None
        self.on_event: Observe | None = None
        self.on_audit: Observe | None = None

    @property
    def pump(self) -> Pump | None:
        """The pump while the server runs."""
        return self._pump

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[Pump, None]:
        """The server runs inside; RuleError when it runs on another loop."""
        pump = await self.enter()
        try:
            yield pump
        finally:
            await self.leave()

    async def enter(self) -> Pump:
        async with self._loop_lock():
            if self._pump is None:
                await self._begin()
            self._users += 1
            assert self._pump is not None
            return self._pump

    async def leave(self) -> None:
        async with self._loop_lock():
            self._users -= 1
            if self._users == 0:
                await self._finish()

    def _loop_lock(self) -> asyncio.Lock:
        """One at a time begins or finishes; RuleError on a second loop while the first one is in use."""
        loop = asyncio.get_running_loop()
        if self._loop is loop and self._lock is not None:
            return self._lock
        busy = self._users or (self._lock is not None and self._lock.locked())
        if busy and self._loop is not None and not self._loop.is_closed():
            raise RuleError("this server runs on another event loop already; one server object serves on one loop at a time")
        if self._pump is not None:  # its loop was closed without leaving: start anew
            self._pump.stop()
            self._pump, self._stack, self._users = None, None, 0
            self._registry.forget()
        self._loop, self._lock = loop, asyncio.Lock()
        return self._lock

    async def _begin(self) -> None:
        pump = Pump(self._registry.engine(), self._registry.find, threads=self._threads, context_class=self.context_class)
        pump.owner = self._owner
        self._registry.started = True
        pump.on_event = _bound(self.on_event, pump)
        pump.on_audit = _bound(self.on_audit, pump)
        stack = contextlib.AsyncExitStack()
        try:
            pump.lifespan = await self._enter_lifespan(stack)
        except BaseException:
            self._registry.started = False
            raise
        pump.start()
        self._pump, self._stack = pump, stack

    async def _finish(self) -> None:
        pump, stack = self._pump, self._stack
        assert pump is not None and stack is not None
        self._pump, self._stack = None, None
        await pump.finish()
        if pump.closing or pump.ended.done():
            self._registry.forget()
        self._registry.started = False
        await stack.aclose()

    async def _enter_lifespan(self, stack: contextlib.AsyncExitStack) -> Any:
        if self._lifespan is None:
            return None
        make = self._lifespan
        if inspect.isasyncgenfunction(make):
            make = contextlib.asynccontextmanager(make)
        try:
            takes_server = bool(inspect.signature(make).parameters)
        except (ValueError, TypeError):
            takes_server = True
        manager = make(self._owner) if takes_server else make()
        return await stack.enter_async_context(manager)


def _bound(observe: Observe | None, pump: Pump) -> Callable[[bytes], None] | None:
    return None if observe is None else lambda text: observe(pump, text)


def observer(function: Callable[[Any], Any], decode: Callable[[bytes], Any]) -> Observe:
    """Calls `function` with what an event says: an async one as a task, a sync one on a worker thread."""

    async def call(pump: Pump, value: Any) -> None:
        try:
            if inspect.iscoroutinefunction(function):
                await function(value)
            else:
                await pump.in_thread(function, value)
        except Exception:
            log.exception("an observer failed")

    tasks: set[asyncio.Task[None]] = set()

    def observe(pump: Pump, text: bytes) -> None:
        task = pump.loop.create_task(call(pump, decode(text)))
        tasks.add(task)  # the loop itself holds tasks weakly
        task.add_done_callback(tasks.discard)

    return observe


@contextlib.contextmanager
def stop_signals(stop: Callable[[], None]) -> Any:
    """Ctrl-C and SIGTERM call `stop`; a second one acts as if nobody had caught it. No effect outside of the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    wanted = [signal.SIGINT, signal.SIGTERM]
    before = {number: signal.getsignal(number) for number in wanted}

    def restore() -> None:
        for number in wanted:
            with contextlib.suppress(NotImplementedError, ValueError):
                loop.remove_signal_handler(number)
            signal.signal(number, before[number] or signal.SIG_DFL)

    def on_signal() -> None:
        restore()
        stop()

    for number in wanted:
        try:
            loop.add_signal_handler(number, on_signal)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(on_signal))
    try:
        yield
    finally:
        restore()


def run(main: Coroutine[Any, Any, None], *, fast: bool) -> None:
    """Runs `main` on a loop of its own; `fast`: uvloop, if it is installed."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        main.close()
        raise RuleError("run() starts an event loop, and one runs here already; use `await server.serve(...)`")
    loop = _new_loop(fast)
    try:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(main)
    finally:
        try:
            _cancel_all(loop)
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            asyncio.set_event_loop(None)
            loop.close()


def _new_loop(fast: bool) -> asyncio.AbstractEventLoop:
    if fast and sys.platform != "win32":
        try:
            import uvloop
        except ImportError:
            pass
        else:
            return uvloop.new_event_loop()
    return asyncio.new_event_loop()


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
