"""One connection: who waits for which answer, and where everything else goes."""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from .. import _native
from .._failure import log
from ..errors import Closed, RuleError, from_fault
from ._callbacks import Callbacks, Change, State, Tell
from ._inbox import Inbox, LoopInbox, ThreadInbox, connections, watch
from ._read import decode, error_of
from ._request import Request
from ._serial import Serial, guarded

if TYPE_CHECKING:
    from ._changes import Changes
    from ._target import Hosting, Target

T = TypeVar("T")
_GIVEN_UP = b'{"error":{"kind":"internal","message":"the answer was given up"}}'


class Connection:
    """A connection from its opening to its end."""

    def __init__(self, target: Target, options: bytes, callbacks: Callbacks, reader: Inbox) -> None:
        """`reader` waits for the opening; what belongs to no call goes there if it is read all the time."""
        self.home: Inbox = reader if isinstance(reader, LoopInbox) else watch()
        try:
            self.native = _native.Client(self.home.native, options)
        except _native.Fault as fault:
            raise from_fault(fault) from None
        self.pending: dict[int, Any] = {}
        """Who waits for which call: a future, or what acts as one."""
        self.state: State = "connecting"
        self.cause: str | None = None
        self.error: Closed | None = None
        """Why it is over."""
        self.closing = False
        self.said: dict[str, Any] = {}
        self.changes: weakref.WeakSet[Changes] = weakref.WeakSet()
        self._target = target
        self._callbacks = callbacks
        self._tells: dict[int, tuple[Tell | None, Tell | None]] = {}
        self._questions: dict[int, Callable[[], object]] = {}
        self._hosting: Hosting | None = None
        self._serial: Serial = self.home.serial()
        self._process = os.getpid()
        number = self.native.number()
        connections[number] = weakref.ref(self, lambda _: connections.pop(number, None))

    @property
    def is_over(self) -> bool:
        """Whether nothing can be asked any more."""
        return self.closing or self.error is not None

    async def open(self, reader: Inbox) -> None:
        """Connects; raises what kept it from being made, with every fact."""
        try:
            token, self._hosting = await self._target.connect(self.native, reader)
            self.said = decode(await reader.answer(self, token))
        except BaseException as error:
            await self.close(reader)
            if isinstance(error, _native.Fault):
                raise from_fault(error) from None
            raise
        if self.state == "connecting":
            self.state = "ready"

    async def close(self, reader: Inbox) -> None:
        """Ends it; returns when nothing is left: the server process has exited, the session is deleted. May be called twice."""
        self.closing = True
        if os.getpid() != self._process:
            return  # it belongs to the process that this one was forked from
        self._keep_home(reader)
        token = self.native.close(reader.native)
        try:
            await reader.answer(self, token)
        finally:
            for stop in list(self._questions.values()):
                stop()
            hosting, self._hosting = self._hosting, None
            self.finished(None)
            if hosting is not None:
                await hosting.leave(reader)  # also when whoever closed gave up waiting

    def check_process(self) -> None:
        if os.getpid() != self._process:
            raise RuleError("this client was opened in another process, before a fork: open one in this process")

    async def ask(self, request: Request[T], reader: Inbox) -> T:
        """Waits for the answer to a request."""
        token = self.start(request, reader)
        if request.on_progress is None and request.on_log is None:
            return request.read(await reader.answer(self, token))
        self._tells[token] = request.on_progress, request.on_log
        try:
            return request.read(await reader.answer(self, token))
        finally:
            del self._tells[token]

    def start(self, request: Request[Any], reader: Inbox) -> int:
        """Sends a request; its token."""
        if os.getpid() != self._process:
            self.check_process()
        self._keep_home(reader)
        try:
            return self.native.request(reader.native, request.what, request.params, request.options)
        except _native.Fault as fault:
            raise from_fault(fault) from None

    def _keep_home(self, reader: Inbox) -> None:
        """Where the loop it was opened on is gone, whoever uses it now reads for it."""
        before = self.home
        if before is reader or not before.closed:
            return
        self.home = reader if isinstance(reader, LoopInbox) else watch()
        self._serial = self.home.serial()
        self.native.move_home(self.home.native)
        before.take()
        before.tell(float("inf"))

    # What is told

    def told(self, part: int, token: int, text: bytes, reader: Inbox | None) -> None:
        """Something that is no answer; `reader` is the thread that it was told to, and that may run callbacks."""
        if part == _native.TOLD_PROGRESS:
            of_call, _ = self._tells.get(token, (None, None))
            self._tell(of_call or self._callbacks.on_progress, text, reader)
        elif part == _native.TOLD_LOG:
            _, of_call = self._tells.get(token, (None, None))
            self._tell(of_call or self._callbacks.on_log, text, reader)
        elif part == _native.TOLD_ASKED:
            self._questions[token] = lambda: None  # it may be answered before what stops it is known
            stop = self._serial.ask(lambda: self._answer(token, text))
            if token in self._questions:
                self._questions[token] = stop
        elif part == _native.TOLD_WITHDRAWN:
            stop = self._questions.pop(token, None)
            if stop is not None:
                stop()
        elif part == _native.TOLD_CHANGE:
            self._changed(msgspec.json.decode(text, type=Change), token)
        elif part == _native.TOLD_STATE:
            said = msgspec.json.decode(text)
            self._set_state(said["state"], said.get("cause"))
        elif part == _native.TOLD_STDERR:
            self._run(self._callbacks.on_stderr, text.decode("utf-8", "replace"))
        elif part == _native.TOLD_REPORT:
            log.log(token, "%s", text.decode("utf-8", "replace"))
        elif part == _native.TOLD_CLOSED:
            error = error_of(text)
            self.finished(error if isinstance(error, Closed) else Closed(error.message, context=error.context, data=error.data))

    def _tell(self, function: Tell | None, text: bytes, reader: Inbox | None) -> None:
        if function is not None and isinstance(reader, ThreadInbox):
            # In the thread that waits for the call, so that the last progress is there before the call returns (X03).
            outcome = guarded(lambda: function(decode(text)))
            if hasattr(outcome, "__await__"):
                self._serial.add(lambda: outcome, self._handled)
            else:
                self._handled()
        else:
            self._run(function, text, packed=True)

    def _run(self, function: Callable[[Any], Any] | None, value: Any, *, packed: bool = False) -> None:
        """Runs a callback after those before it."""
        if function is None:
            self._handled()
        else:
            self._serial.add(lambda: function(decode(value) if packed else value), self._handled)

    def _handled(self) -> None:
        self.native.handled(1)

    def _changed(self, change: Change, token: int) -> None:
        for changes in list(self.changes):
            changes.put(change, token)
        if change.kind == "ended":
            self._handled()
        else:
            self._run(self._callbacks.on_change, change)

    async def _answer(self, number: int, text: bytes) -> None:
        try:
            answer = await self._callbacks.answer(text)
        except BaseException:
            # Neither withdrawn nor answered: a callback that was cancelled, or wanted to end a thread. The server must not wait.
            if self._questions.pop(number, None) is not None:
                self.native.answer(number, _GIVEN_UP)
            raise
        self._questions.pop(number, None)
        self.native.answer(number, answer)

    def _set_state(self, state: State, cause: str | None) -> None:
        if (state, cause) == (self.state, self.cause):
            return
        self.state, self.cause = state, cause
        on_state = self._callbacks.on_state
        if on_state is not None:
            self._serial.add(lambda: on_state(state, cause), lambda: None)

    def finished(self, error: Closed | None) -> None:
        """It is over: closed by its user, or for the reason given."""
        if self.error is not None:
            return
        self.error = error or Closed("the client was closed")
        if self.closing:
            self._set_state("closed", None)
        else:
            self._set_state("failed", self.cause or str(self.error))
        for changes in list(self.changes):
            changes.end(None if self.closing else self.error)

    def __del__(self) -> None:
        if getattr(self, "closing", True) or os.getpid() != self._process:
            return
        warnings.warn(f"a client of {self._target} was never closed", ResourceWarning, stacklevel=1, source=self)
        if self._hosting is not None:
            self._hosting.abandon()
