"""The hot path: drains the engine's queue on the user's event loop, runs handlers, completes calls.

One pump serves one engine on one loop. Async handlers are tasks of that loop, sync ones jobs of `Workers`. What was completed,
asked or noticed within one turn of the loop leaves with one `flush` at its end.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import sys
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from . import _native
from ._failure import failure_of, log, report
from ._workers import Workers
from .context import Context, current
from .errors import RuleError, from_fault, make

if TYPE_CHECKING:
    from ._native import Engine, Event

T = TypeVar("T")

_EAGER = sys.version_info >= (3, 12)
_TURN_SECONDS = 0.002
_QUICK_SECONDS = 0.000_05
_FINISH_SECONDS = 5.0


class Handler:
    """One entry of the table that events are dispatched by."""

    __slots__ = ("call", "decode", "encode", "in_thread", "is_async", "quick", "subject")

    def __init__(
        self,
        subject: str,
        decode: Callable[[bytes], Any],
        call: Callable[[Context, Any], Any],
        encode: Callable[[Any], bytes],
        *,
        is_async: bool,
        in_thread: bool = True,
    ) -> None:
        self.subject = subject
        self.decode = decode
        """JSON text to what `call` takes."""
        self.call = call
        self.encode = encode
        """What `call` gave to the text of `Engine.complete`."""
        self.is_async = is_async
        self.in_thread = in_thread
        self.quick = False
        """Whether the last run on a thread took microseconds."""


class HttpSink(Protocol):
    """Takes the answer to one request of a foreign web server."""

    def put(self, part: int, text: bytes) -> None:
        """A part of the answer: see `_native.HTTP`."""
        ...


class _Outcome(msgspec.Struct):
    result: Any = None
    error: dict[str, Any] | None = None


_decode_outcome = msgspec.json.Decoder(_Outcome).decode
Find = Callable[[int, int], "Handler | None"]


class Pump:
    """Runs on the loop that is current when it is made, until `stop`."""

    def __init__(self, engine: Engine, find: Find, *, threads: int, context_class: type[Context] = Context) -> None:
        """`find(kind, slot)` gives the handler of an event."""
        self.engine = engine
        self.fault = _native.Fault
        self.loop = asyncio.get_running_loop()
        self.lifespan: Any = None
        self.owner: Any = None
        """The server object this runs for."""
        self.ended: asyncio.Future[None] = self.loop.create_future()
        self.closing = False
        """Whether the engine was told to stop; it cannot be used again then."""
        self.sinks: dict[int, HttpSink] = {}
        self.contexts: dict[int, contextvars.Context] = {}
        """For each request of a foreign web server, the context variables it came with (H15)."""
        self.on_event: Callable[[bytes], None] | None = None
        self.on_audit: Callable[[bytes], None] | None = None
        self._find = find
        self._context_class = context_class
        self._thread = threading.get_ident()
        self._workers = Workers(threads, self._settle)
        self._running: dict[int, Context] = {}
        self._questions: dict[tuple[int, int], asyncio.Future[bytes]] = {}
        self._rest: deque[Event] = deque()
        self._flushing = False
        self._waiter: _Waiter | None = None
        self._special: dict[int, Callable[[int, int, bytes], None]] = {
            _native.ANSWER: self._answer,
            _native.CANCEL: self._cancel,
            _native.EVENT: self._event,
            _native.AUDIT: self._audit,
            _native.REPORT: self._report,
            _native.HTTP: self._http,
            _native.END: self._end,
        }

    def start(self) -> None:
        """Begins to listen for events."""
        try:
            self.loop.add_reader(self.engine.wake_fd(), self._drain)
        except (NotImplementedError, OSError, ValueError):  # Windows: no loop there can watch this descriptor
            self._waiter = _Waiter(self)
            self._waiter.start()
        self.loop.call_soon(self._drain)  # what came before the reader was there

    def stop(self) -> None:
        """Stops listening and cancels what still runs."""
        if self._waiter is not None:
            self._waiter.stopped = True
        elif not self.loop.is_closed():
            self.loop.remove_reader(self.engine.wake_fd())
        for cx in list(self._running.values()):
            cx._cancel()
        self._workers.close()

    async def finish(self) -> None:
        """Stops, and waits until the handlers have cleaned up after themselves, so that the lifespan outlives them."""
        tasks = [cx._task for cx in self._running.values() if cx._task is not None]
        self.stop()
        if tasks:
            await asyncio.wait(tasks, timeout=_FINISH_SECONDS)

    def close(self, grace: float | None) -> None:
        """No new calls; running ones may take `grace` seconds more. May be called from any thread."""
        self.closing = True
        self.engine.close(self.engine.limit("shutdown_grace") if grace is None else grace)

    def on_loop(self) -> bool:
        """Whether this is the thread that must not block."""
        return threading.get_ident() == self._thread

    # Events

    def _drain(self) -> None:
        rest = self._rest
        if not rest:
            rest.extend(self.engine.next_batch())
        self._process()

    def _process(self) -> None:
        rest = self._rest
        special = self._special
        running = self._running
        until = perf_counter() + _TURN_SECONDS
        while rest:
            kind, token, slot, text = rest.popleft()
            act = special.get(kind)
            try:
                if act is not None:
                    act(token, slot, text)
                else:
                    handler = self._find(kind, slot)
                    if handler is None:
                        raise LookupError(f"an event of kind {kind} names the unknown handler {slot}")
                    cx = running[token] = self._context_class(self, token)
                    if self.contexts:
                        self._start_in_request(handler, cx, text)
                    else:
                        self._start(handler, cx, text)
            except Exception:  # of one event; those behind it must not be lost
                log.exception("an event of the engine could not be handled")
                if act is None:
                    running.pop(token, None)
                    self.engine.fail(token, "internal", None, "The handler could not be started", None)
                    self.touch()
            if perf_counter() > until:
                break
        if rest:
            # Handlers that ran inline took their time: other callbacks of the loop come first now.
            self.loop.call_soon(self._drain)

    def _start(self, handler: Handler, cx: Context, text: bytes) -> None:
        if handler.is_async:
            coroutine = self._run_async(handler, cx, text)
            if _EAGER:
                task: asyncio.Task[None] = asyncio.Task(coroutine, loop=self.loop, eager_start=True)  # pyright: ignore[reportCallIssue]
            else:
                task = self.loop.create_task(coroutine)
            cx._task = task
        elif handler.in_thread:
            self._workers.submit(handler.quick, contextvars.copy_context(), self._run_sync, handler, cx, text)
        else:
            contextvars.copy_context().run(self._run_inline, handler, cx, text)

    def _start_in_request(self, handler: Handler, cx: Context, text: bytes) -> None:
        request = cx.facts.http
        context = self.contexts.get(request) if request is not None else None
        if context is None:
            self._start(handler, cx, text)
        else:
            context.copy().run(self._start, handler, cx, text)

    # Handlers

    async def _run_async(self, handler: Handler, cx: Context, text: bytes) -> None:
        current.set(cx)
        token = cx._token
        try:
            data = handler.encode(await handler.call(cx, handler.decode(text)))
        except BaseException as error:
            if type(error) is GeneratorExit and not self.loop.is_running():
                raise  # the loop is gone, and nothing can be told to anybody
            self._fail(handler, cx, error)
        else:
            self.engine.complete(token, data)
        self._running.pop(token, None)
        if not self._flushing:
            self._flushing = True
            self.loop.call_soon(self._flush)

    def _run_sync(self, handler: Handler, cx: Context, text: bytes) -> None:
        began = perf_counter()
        self._run_blocking(handler, cx, text)
        handler.quick = perf_counter() - began < _QUICK_SECONDS

    def _run_inline(self, handler: Handler, cx: Context, text: bytes) -> None:
        self._run_blocking(handler, cx, text)
        self.touch()

    def _run_blocking(self, handler: Handler, cx: Context, text: bytes) -> None:
        current.set(cx)
        try:
            result = handler.call(cx, handler.decode(text))
            if inspect.isawaitable(result):  # a plain function that returned a coroutine
                self._hand_to_loop(self._run_async(_Awaiting(handler, result), cx, text), cx)
                return
            data = handler.encode(result)
        except BaseException as error:
            self._fail(handler, cx, error)
        else:
            self.engine.complete(cx._token, data)
        self._running.pop(cx._token, None)

    def _hand_to_loop(self, coroutine: Coroutine[Any, Any, None], cx: Context) -> None:
        def begin() -> None:
            cx._task = self.loop.create_task(coroutine)
            if cx.cancelled:
                cx._task.cancel()

        context = contextvars.copy_context()
        if self.on_loop():
            context.run(begin)
        else:
            self.loop.call_soon_threadsafe(context.run, begin)

    def _fail(self, handler: Handler, cx: Context, error: BaseException) -> None:
        if cx.cancelled:
            return  # the engine has forgotten the call, and nobody waits for an answer
        report(handler.subject, error)
        self.engine.fail(cx._token, *failure_of(error))

    async def in_thread(self, function: Callable[..., T], *args: Any) -> T:
        """Runs a blocking function on the pool; the caller's context variables reach it."""
        future: asyncio.Future[T] = self.loop.create_future()

        def finish(result: Any, error: BaseException | None) -> None:
            if future.done():
                return  # the waiting call was cancelled
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(RuntimeError(str(error)) if isinstance(error, StopIteration) else error)

        def job() -> None:
            try:
                result = function(*args)
            except BaseException as error:
                self.loop.call_soon_threadsafe(finish, None, error)
            else:
                self.loop.call_soon_threadsafe(finish, result, None)

        self._workers.submit(False, contextvars.copy_context(), job)
        return await future

    # Questions and notices

    async def ask(self, token: int, question: bytes) -> dict[str, Any]:
        """Asks the client of a call and waits for the answer; the errors of the peer and of the engine are raised."""
        if not self.on_loop():
            raise RuleError("a question belongs to the server's event loop; in a sync handler use cx.run(cx.elicit(...))")
        try:
            number, text = self.engine.ask(token, question)
        except self.fault as fault:
            raise from_fault(fault) from None
        if text is None:
            future = self._questions[token, number] = self.loop.create_future()
            self.touch()
            try:
                text = await future
            finally:
                self._questions.pop((token, number), None)
        outcome = _decode_outcome(text)
        if outcome.error is not None:
            facts = outcome.error
            error = make(str(facts.get("kind", "remote")), str(facts.get("message", "")), code=facts.get("code"))
            error.data = facts.get("data")
            raise error
        return outcome.result if outcome.result is not None else {}

    def touch(self) -> None:
        """Something was written: it leaves at the end of this turn of the loop, or at once from another thread."""
        if threading.get_ident() != self._thread:
            self.engine.flush()
        elif not self._flushing:
            self._flushing = True
            self.loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flushing = False
        self.engine.flush()

    def _settle(self) -> None:
        self.engine.flush()

    # What is no call

    def _answer(self, token: int, slot: int, text: bytes) -> None:
        future = self._questions.get((token, slot))
        if future is not None and not future.done():
            future.set_result(text)
        # Other questions of the call may still be open, and nothing else would send them again. Not before a handler that waits
        # for the first of several answers had its turn to go on.
        self.loop.call_soon(self.loop.call_soon, self.touch)

    def _cancel(self, token: int, slot: int, text: bytes) -> None:
        # Taken out here, because a task that is cancelled before its first step never gets to do so (W10).
        cx = self._running.pop(token, None)
        if cx is not None:
            cx._cancel()

    def _event(self, token: int, slot: int, text: bytes) -> None:
        if self.on_event is not None:
            self.on_event(text)

    def _audit(self, token: int, slot: int, text: bytes) -> None:
        if self.on_audit is not None:
            self.on_audit(text)

    def _report(self, token: int, slot: int, text: bytes) -> None:
        log.log(slot, "%s", text.decode("utf-8", "replace"))

    def _http(self, token: int, slot: int, text: bytes) -> None:
        sink = self.sinks.get(token)
        if sink is not None:
            sink.put(slot, text)

    def _end(self, token: int, slot: int, text: bytes) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


class _Awaiting(Handler):
    """A handler whose call has been made already; what is left is to await it."""

    def __init__(self, handler: Handler, result: Any) -> None:
        super().__init__(handler.subject, lambda _: None, lambda _cx, _values: result, handler.encode, is_async=True)


class _Waiter(threading.Thread):
    """Waits for the queue where the loop cannot watch a descriptor (the Proactor loop of Windows)."""

    def __init__(self, pump: Pump) -> None:
        super().__init__(name="omniport-waiter", daemon=True)
        self._pump = pump
        self._taken = threading.Event()
        self.stopped = False

    def run(self) -> None:
        while not self.stopped:
            batch = self._pump.engine.wait_batch(0.5)
            if not batch:
                continue
            self._taken.clear()
            try:
                self._pump.loop.call_soon_threadsafe(self._take, batch)
            except RuntimeError:
                return  # the loop is closed
            self._taken.wait()  # one batch at a time, so that a full queue stops the engine and not our memory

    def _take(self, batch: list[Event]) -> None:
        self._pump._rest.extend(batch)
        self._taken.set()
        self._pump._process()
